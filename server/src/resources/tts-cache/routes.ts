import type { ttsCacheEndpoints } from '@patchbay/contract/tts-cache'
import type { Change } from '../../database/write-transaction.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'

export const ttsCacheRoutes = ({ write, ttsCache }: Services): Handlers<keyof typeof ttsCacheEndpoints> => {
  /** Clears the cache. The audit trail records this although the cache is not in the database. */
  const clear = async (actor: Caller, account_sid: string | null) => {
    const size = await ttsCache.clear(account_sid)
    const change: Change = {
      action: 'delete',
      kind: 'tts_cache',
      sid: account_sid ?? '',
      owner: { account_sid, service_provider_sid: null },
      before: { size },
      after: null,
    }
    await write(actor, (tx) => Promise.resolve(tx.record(change)))
  }

  return {
    'GET /TtsCache': async () => ok({ size: await ttsCache.size(null) }),
    'DELETE /TtsCache': ({ actor }) => clear(actor, null),
    'GET /Accounts/:account_sid/TtsCache': async ({ params: { account_sid } }) =>
      ok({ size: await ttsCache.size(account_sid) }),
    'DELETE /Accounts/:account_sid/TtsCache': ({ actor, params: { account_sid } }) => clear(actor, account_sid),
  }
}
