"""What one machine is too small for, on engines that have many.

Nothing here is an engine: `rankmeld.distributed.spark` hands our kernels to a Spark session. Importing
this package imports none.
"""
