import { createHmac } from 'node:crypto'

/** What stands in the header `Jambonz-Signature`, as the platform's published server signs what it sends to webhooks. */

/** HMAC-SHA256 of the moment, in epoch seconds, a dot and the content; of GET the content is what POST would send. */
export const signPayload = (content: string, secret: string): string => {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${content}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
