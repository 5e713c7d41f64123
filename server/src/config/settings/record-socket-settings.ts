import { z } from 'zod'
import type { Credentials } from '../option-types.ts'
import { requireBoth } from './dependent-settings.ts'
import { loopback } from './intake-settings.ts'
import { markSecret, type Values } from './schemas.ts'
import type { ServerSettings } from './server-settings.ts'

/** The settings of the WebSocket that receives recordings. */

/** The components of jambonz accept both spellings (docs/reference/platform-api/recordings.md#recording-websocket). */
export const recordSocketVariables = {
  JAMBONZ_RECORD_WS_USERNAME: z
    .string()
    .min(1)
    .optional()
    .describe(
      'User name of feature servers that send recordings, together with their password. Without them ' +
        'only this machine can send recordings, and no machine if `HOST` is not loopback or ' +
        '`JAMBONES_TRUST_PROXY` is set',
    ),
  JAMBONES_RECORD_WS_USERNAME: z
    .string()
    .min(1)
    .optional()
    .describe('The same, if `JAMBONZ_RECORD_WS_USERNAME` is unset'),
  JAMBONZ_RECORD_WS_PASSWORD: markSecret(
    z
      .string()
      .min(1)
      .optional()
      .describe('Password of feature servers that send recordings, together with their user name'),
  ),
  JAMBONES_RECORD_WS_PASSWORD: markSecret(
    z.string().min(1).optional().describe('The same, if `JAMBONZ_RECORD_WS_PASSWORD` is unset'),
  ),
}

/**
 * Credentials for sending recordings. Without them, only local processes can send recordings. Null if that cannot be
 * ensured because the server is reachable from other machines.
 */
type RecordSocket = { credentials: Credentials } | { host: string } | null

export const getRecordSocket = (
  env: Values<typeof recordSocketVariables>,
  { host, trustedProxies }: Pick<ServerSettings, 'host' | 'trustedProxies'>,
): RecordSocket => {
  const values = {
    JAMBONZ_RECORD_WS_USERNAME: env.JAMBONZ_RECORD_WS_USERNAME ?? env.JAMBONES_RECORD_WS_USERNAME,
    JAMBONZ_RECORD_WS_PASSWORD: env.JAMBONZ_RECORD_WS_PASSWORD ?? env.JAMBONES_RECORD_WS_PASSWORD,
  }
  const login = requireBoth(values, 'JAMBONZ_RECORD_WS_USERNAME', 'JAMBONZ_RECORD_WS_PASSWORD')
  if (login !== null) return { credentials: { username: login[0], password: login[1] } }
  // Behind a proxy, every connection comes from this machine.
  return loopback.has(host) && trustedProxies === 0 ? { host } : null
}
