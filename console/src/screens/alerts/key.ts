import type { Alert } from '@patchbay/contract/alerts'

/** FNV-1a, 32 bits: enough to tell apart what one account was told in one instant. */
const hashOf = (text: string): string => {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return (hash >>> 0).toString(36)
}

/** Alerts may be of one instant; then all that they say tells them apart. */
export const keyOf = (alert: Alert): string => `${alert.time}_${hashOf(JSON.stringify(alert))}`
