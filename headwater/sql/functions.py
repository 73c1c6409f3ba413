"""Spark's functions by what they mean for a view; all others map a row's values to a value, always the same.

A test compares the lists with Spark's own registry.
"""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


AGGREGATES = names(
    """
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine array_agg avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg
    bool_and bool_or collect_list collect_set collect_union corr count count_if count_min_sketch covar_pop
    covar_samp every first first_value grouping grouping_id histogram_numeric hll_sketch_agg hll_union_agg
    kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
    kll_sketch_agg_float kurtosis last last_value listagg max max_by mean measure median min min_by mode
    percentile percentile_approx percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy schema_of_variant_agg skewness some std stddev stddev_pop
    stddev_samp string_agg sum theta_intersection_agg theta_sketch_agg theta_union_agg try_avg try_sum
    tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double
    tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer var_pop var_samp variance
    """
)

# One row in, any number of rows out.
ROW_MAKERS = names(
    """
    explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer session_window stack
    variant_explode variant_explode_outer window window_time
    """
)

# The value depends on when, where or in which order they are evaluated.
NON_DETERMINISTIC = names(
    """
    aes_encrypt curdate current_catalog current_database current_date current_path current_schema current_time
    current_timestamp current_timezone current_user input_file_block_length input_file_block_start
    input_file_name java_method localtime localtimestamp monotonically_increasing_id now rand randn random
    randstr reflect session_user shuffle spark_partition_id try_reflect uniform unix_timestamp user uuid
    """
)

# Words that a DATE or TIMESTAMP literal takes for the present.
PRESENT = frozenset(("now", "today", "tomorrow", "yesterday"))
EPOCH = "epoch"  # ... and for the first instant of 1970

# Kinds of functions that users bring.
PER_ROW, AGGREGATE, NON_DETERMINISTIC_FUNCTION = "row", "aggregate", "non-deterministic"
