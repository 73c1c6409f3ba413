"""One file per command or pair of commands; each adds itself to the app by `register`."""
