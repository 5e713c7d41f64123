import { createHmac } from 'node:crypto'

/** Creates the `Jambonz-Signature` header in the same format as jambonz uses for webhooks. */

/**
 * Signs the time in epoch seconds, a dot, and the content with HMAC-SHA256. For a GET request, the content is the body
 * that a POST would have.
 */
export const signPayload = (content: string, secret: string): string => {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${content}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
