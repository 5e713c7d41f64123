import type { passwordSettingsEndpoints } from '@patchbay/contract/password-settings'
import { readPasswordPolicy } from '../../auth/password-policy.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { savePasswordPolicy } from './store.ts'

export const passwordSettingsRoutes = ({
  database,
  write,
}: Services): Handlers<keyof typeof passwordSettingsEndpoints> => ({
  'GET /PasswordSettings': async () => ok(await readPasswordPolicy(database.db)),

  'POST /PasswordSettings': async ({ actor, body }) => {
    await write(actor, (tx) => savePasswordPolicy(tx, body))
    return created({})
  },

  'PUT /PasswordSettings': ({ actor, body }) => write(actor, (tx) => savePasswordPolicy(tx, body)),
})
