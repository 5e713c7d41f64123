import type { limitEndpoints } from '@patchbay/contract/limits'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { accountLimits, providerLimits } from './store.ts'

export const limitRoutes = ({ database, write }: Services): Handlers<keyof typeof limitEndpoints> => ({
  'GET /Accounts/:account_sid/Limits': async ({ params, query }) =>
    ok(await accountLimits.read(database, params.account_sid, query.category)),

  'POST /Accounts/:account_sid/Limits': ({ actor, params, body: { category, quantity } }) =>
    createdSid(write(actor, (tx) => accountLimits.set(tx, params.account_sid, category, quantity))),

  'DELETE /Accounts/:account_sid/Limits': ({ actor, params, query }) =>
    write(actor, (tx) => accountLimits.remove(tx, params.account_sid, query.category)),

  'PUT /patchbay/Accounts/:account_sid/Limits': ({ actor, params, body }) =>
    write(actor, (tx) => accountLimits.update(tx, params.account_sid, body)),

  'GET /ServiceProviders/:service_provider_sid/Limits': async ({ params, query }) =>
    ok(await providerLimits.read(database, params.service_provider_sid, query.category)),

  'POST /ServiceProviders/:service_provider_sid/Limits': ({ actor, params, body: { category, quantity } }) =>
    createdSid(write(actor, (tx) => providerLimits.set(tx, params.service_provider_sid, category, quantity))),

  'DELETE /ServiceProviders/:service_provider_sid/Limits': ({ actor, params, query }) =>
    write(actor, (tx) => providerLimits.remove(tx, params.service_provider_sid, query.category)),

  'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits': ({ actor, params, body }) =>
    write(actor, (tx) => providerLimits.update(tx, params.service_provider_sid, body)),
})
