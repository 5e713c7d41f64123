interface BackoffOptions {
  /** Delay after the first failure. */
  firstMs: number
  maxMs: number
}

/**
 * Returns how long to wait before the next attempt: the delay doubles with each failure, up to a limit.
 *
 * @param failures number of failures in a row, at least 1
 */
export const exponentialBackoffMs = (failures: number, { firstMs, maxMs }: BackoffOptions): number =>
  Math.min(maxMs, firstMs * 2 ** (failures - 1))
