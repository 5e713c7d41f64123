import { toOptionalListPage } from '@patchbay/contract/api/list-pages'
import type { phoneNumberEndpoints } from '@patchbay/contract/phone-numbers'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { createPhoneNumberStore } from './store.ts'
import { changePhoneNumber, createPhoneNumber, deletePhoneNumber } from './write.ts'

export const phoneNumberRoutes = ({
  database,
  write,
  configuration,
  missingSchema,
}: Services): Handlers<keyof typeof phoneNumberEndpoints> => {
  const numbers = createPhoneNumberStore(database, missingSchema)
  return {
    'GET /PhoneNumbers': async ({ actor, query }) => ok(await numbers.list(actor, query, toOptionalListPage(query))),

    'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': async ({ actor, params: { service_provider_sid } }) =>
      ok(await numbers.ofProvider(actor, service_provider_sid)),

    'POST /PhoneNumbers': async ({ actor, body }) => {
      assertCanChangeCarriers(configuration, actor)
      const sid = await write(actor, async (tx) => {
        await checkCreateLimit(tx, configuration, actor, 'phone_numbers')
        return createPhoneNumber(tx, actor, body)
      })
      return created({ sid })
    },

    'GET /PhoneNumbers/:phone_number_sid': ({ params }) => okOrNotFound(numbers.read(params.phone_number_sid)),

    'PUT /PhoneNumbers/:phone_number_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changePhoneNumber(tx, actor, params.phone_number_sid, body)),

    'DELETE /PhoneNumbers/:phone_number_sid': ({ actor, params }) =>
      write(actor, (tx) => deletePhoneNumber(tx, actor, params.phone_number_sid)),
  }
}
