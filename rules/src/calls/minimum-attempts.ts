/** Fewer calls say nothing about a carrier. */
export const minimumAttempts = 10
