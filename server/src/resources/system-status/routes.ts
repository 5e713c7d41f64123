import type { SystemStatus, systemStatusEndpoints } from '@patchbay/contract/system-status'
import { createPendingUploads } from '../../call-data/recordings/pending-uploads.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createBackupCheck } from './backup-check.ts'
import { cacheBriefly } from './cache-briefly.ts'
import { createCallDataChecks } from './call-data-checks.ts'
import { createCallServerChecks } from './call-server-checks.ts'
import { createCertificateCheck } from './certificate-check.ts'
import { createCallCounter } from './count-calls.ts'
import { runBounded } from './finding.ts'
import { createMaskingCheck } from './masking-check.ts'
import { createStatusReader } from './read-status.ts'
import { createMailCheck, createPaymentCheck, createSpeechCheck, createStorageCheck } from './service-checks.ts'
import { createDatabaseCheck, createRedisCheck } from './storage-checks.ts'

/** Less than the time limit of a check, so that a check can continue without Redis. */
const redisTimeoutSeconds = 1.5

/** Time for which a result serves all requests. */
const cacheMs = 5_000

export const systemStatusRoutes = ({
  configuration,
  database,
  platformHealth: health,
  intakes,
  captures,
  callDataStore,
  certificates,
  mail,
  checkPayment,
  masking,
}: Services): Handlers<keyof typeof systemStatusEndpoints> => {
  const readServers = runBounded(
    () => (health === undefined ? Promise.reject(new Error('there is no Redis')) : health.callServers()),
    redisTimeoutSeconds,
  )
  const readStatus = createStatusReader({
    checks: {
      database: createDatabaseCheck(database),
      redis: createRedisCheck(health),
      backups: createBackupCheck(database, configuration.backups),
      ...createCallServerChecks({
        database,
        health,
        readServers,
        isBehindService: configuration.featureServers.service !== null,
      }),
      ...createCallDataChecks({ configuration, database, intakes, captures, callDataStore }),
      masking: createMaskingCheck(database, masking.overruns),
      'object-storage': createStorageCheck(database, createPendingUploads(configuration.dataDir)),
      certificates: createCertificateCheck(certificates),
      mail: createMailCheck(mail),
      payment: createPaymentCheck(checkPayment),
      speech: createSpeechCheck(database),
    },
    countCalls: createCallCounter(database, health),
  })
  const read: () => Promise<SystemStatus> = cacheBriefly(readStatus, cacheMs)

  return {
    'GET /patchbay/system-status': async () => ok(await read()),
  }
}
