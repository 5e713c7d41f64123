import { refuse } from '@patchbay/contract/errors'
import { listPageOf } from '@patchbay/contract/list-pages'
import type { phoneNumberEndpoints } from '@patchbay/contract/phone-numbers'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'
import { createPhoneNumberStore } from './store.ts'

export const phoneNumberRoutes = ({ database }: Services): Handlers<keyof typeof phoneNumberEndpoints> => {
  const numbers = createPhoneNumberStore(database)
  return {
    'GET /PhoneNumbers': async ({ actor, query }) => ok(await numbers.list(actor, query, listPageOf(query))),

    'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': async ({ actor, params: { service_provider_sid } }) =>
      ok(await numbers.ofProvider(actor, service_provider_sid)),

    'GET /PhoneNumbers/:phone_number_sid': async ({ params }) =>
      ok((await numbers.read(params.phone_number_sid)) ?? refuse('not_found')),
  }
}
