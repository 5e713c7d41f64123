import { deletePhoneClient, findExpiredPhoneClients } from '../resources/clients/phone-sessions.ts'
import type { Services } from '../resources/services.ts'

/** Maximum number of clients that one run deletes. The next run continues. */
const batchSize = 100

type Dependencies = Pick<Services, 'database' | 'write'> & { now: () => number }

/**
 * Creates the job that deletes SIP clients of calls from the browser whose time is over: those of browsers that were
 * closed, and those that a backup has brought back.
 */
export const createPhoneClientCleanup =
  ({ database, write, now }: Dependencies): (() => Promise<void>) =>
  async () => {
    for (const client_sid of await findExpiredPhoneClients(database, now(), batchSize))
      await write('patchbay', (tx) => deletePhoneClient(tx, client_sid))
  }
