/**
 * Why a hosted account is switched off until it pays (api/4-calls-and-hosted.md §5.9, §5.10), as
 * accounts.deactivated_reason holds it. Its people may sign in, read and pay; what an operator switches off stays off.
 */
export const suspensionReasons = { trial: 'trial expired', payment: 'payment failed' } as const

const reasons = new Set<string | null>(Object.values(suspensionReasons))

export const isSuspensionReason = (deactivated_reason: string | null): boolean => reasons.has(deactivated_reason)
