i + 1
i - j
i * f
i / 2
j / 3
j DIV 2
j % 3
-j
- -j
+i
MOD(j, 3)
PMOD(j, 3)
ABS(j)
ROUND(f, 1)
ROUND(d, 1)
BROUND(d, 1)
CEIL(f)
FLOOR(d)
POWER(i, 2)
SQRT(ABS(j))
EXP(i)
LN(i)
LOG10(i)
LOG2(i)
LOG(2, i)
SIGN(j)
GREATEST(i, j)
LEAST(i, j, 0)
i & j
i | j
i ^ j
~i
SHIFTLEFT(i, 2)
SHIFTRIGHT(j, 1)
(i + j) * 2 - 3
i - (j - 1)
i / (j / 2)
NANVL(f, 0D)
ISNAN(f)
i * 2 + j * 3
10 - i - 1
BIT_COUNT(i)
FACTORIAL(i)
HYPOT(i, j)
CBRT(i)
RADIANS(f)
ATAN2(i, j)
TRY_DIVIDE(i, 0)
TRY_ADD(i, 1)
