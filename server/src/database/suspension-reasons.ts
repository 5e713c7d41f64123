/**
 * Values of accounts.deactivated_reason for a hosted account that is suspended until it pays
 * (docs/reference/platform-api/hosted-mode.md#reconciliation). Users of a suspended account can sign in, read, and pay.
 * An account that an operator has deactivated stays deactivated.
 */
export const suspensionReasons = { trial: 'trial expired', payment: 'payment failed' } as const

const reasons = new Set<string | null>(Object.values(suspensionReasons))

/** Returns whether an account with this `deactivated_reason` is suspended until it pays. */
export const isSuspensionReason = (deactivated_reason: string | null): boolean => reasons.has(deactivated_reason)
