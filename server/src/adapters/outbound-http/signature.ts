import { createHmac, timingSafeEqual } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'

/**
 * Creates and verifies signatures in the format that jambonz uses for webhooks: the header `Jambonz-Signature` with the
 * time in epoch seconds and HMAC-SHA256 values.
 */

/** Signs the time, a dot, and the content. For a GET request, the content is the body that a POST would have. */
const computeSignature = (content: string, seconds: number | string, secret: string): string =>
  createHmac('sha256', secret).update(`${seconds}.${content}`).digest('hex')

export const signPayload = (content: string, secret: string): string => {
  const seconds = Math.floor(Date.now() / 1000)
  return `t=${seconds},v1=${computeSignature(content, seconds, secret)}`
}

/** A header with a time within the tolerance. Its signatures are not verified yet. */
export interface SignatureHeader {
  /** The text that is signed, with leading zeros. */
  seconds: string
  signatures: readonly Buffer[]
}

/** The SDK of jambonz has the same tolerance, for old signatures only. */
const toleranceSeconds = 300
/** A sender that changes its secret signs with the old and the new one. */
const maxSignatures = 5

/**
 * Parses a header.
 * @throws ApiError `signature_missing` or `signature_expired`
 */
export const parseSignature = (header: string): SignatureHeader => {
  const pairs = header.split(',').map((pair) => pair.trim().split('='))
  const seconds = pairs.find(([key]) => key === 't')?.[1] ?? ''
  const signatures = pairs
    .flatMap(([key, value = '']) => (key === 'v1' && /^[\da-f]{64}$/i.test(value) ? [Buffer.from(value, 'hex')] : []))
    .slice(0, maxSignatures)
  if (!/^\d{1,12}$/.test(seconds) || signatures.length === 0) return throwApiError('signature_missing')
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > toleranceSeconds) return throwApiError('signature_expired')
  return { seconds, signatures }
}

/** Returns whether one of the signatures is that of the content. Compares in constant time. */
export const hasValidSignature = (
  { seconds, signatures }: SignatureHeader,
  content: string,
  secret: string,
): boolean => {
  const expected = Buffer.from(computeSignature(content, seconds, secret), 'hex')
  return signatures.filter((signature) => timingSafeEqual(signature, expected)).length > 0
}
