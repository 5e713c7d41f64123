import type { FastifyInstance } from 'fastify'
import { enqueueConversations, settlingMs } from '../call-data/conversations/conversation-queue.ts'
import { createRecordingQuota } from '../call-data/quotas/recording-quota.ts'
import { acceptRecordings } from '../call-data/recordings/recording-websocket.ts'
import { getClientAddress } from '../http/concurrency-limit.ts'
import type { Services } from '../resources/services.ts'

/** Accepts the recordings of calls over WebSocket, and has the conversation of each recorded call computed. */
export const serveRecordings = (app: FastifyInstance, services: Services): void => {
  const { configuration, database, intakes, onBackgroundError, quotas, recordingAccounts, recordings } = services
  const { accountQuotas, dataDir, recordSocket, trustedProxies } = configuration
  const close = acceptRecordings({
    server: app.server,
    logger: app.log,
    writers: recordSocket,
    dataDir,
    accounts: recordingAccounts,
    recordings: {
      store: async (recorded) => {
        intakes.markRecording()
        const version = await recordings.store(recorded)
        const call = { account_sid: recorded.account_sid, call_sid: recorded.name.call_sid }
        await enqueueConversations(database, [call], Date.now() + settlingMs).catch((error: unknown) =>
          onBackgroundError(error, 'the conversation of a recording could not be queued', call),
        )
        return version
      },
    },
    quota: createRecordingQuota(dataDir, accountQuotas.recordingBytes, quotas),
    getClientAddress: (request) => getClientAddress(request, trustedProxies),
  })
  app.addHook('preClose', close)
}
