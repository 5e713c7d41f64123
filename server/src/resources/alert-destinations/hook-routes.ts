import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { alertDestinationLengths as lengths } from '@patchbay/contract/alert-destinations/record'
import {
  type AlertHook,
  type AlertHookTestResult,
  type alertHookEndpoints,
  maxAlertHooks,
  toDestinationKind,
  toHookType,
} from '@patchbay/contract/alert-hooks'
import type { Actor } from '@patchbay/contract/api/access'
import { ApiError, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import {
  type DestinationKind,
  destinationKindLabels,
  validateDestination,
} from '@patchbay/contract/shared/destination-kinds'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createDestinationOperations, maskForActor, type StoredDestination } from './operations.ts'
import { deleteAlertDestination } from './store.ts'

/** Alert hooks: the alert destinations of an account in the API of newer platforms. */

/** Hooks have no name, so the destination gets the kind, or where it sends to if that is no secret. */
const createName = (kind: DestinationKind, target: string): string => {
  const label = kind === 'webhook' ? new URL(target).host : kind === 'email' ? target : destinationKindLabels[kind]
  return label.slice(0, lengths.name)
}

const toAlertHook = (actor: Actor, account_sid: string, destination: AlertDestination): AlertHook => ({
  alert_hook_sid: destination.alert_destination_sid,
  account_sid,
  type: toHookType(destination.kind),
  address: maskForActor(actor, destination).target,
  created_at: destination.created_at,
})

export const alertHookRoutes = (services: Services): Handlers<keyof typeof alertHookEndpoints> => {
  const { destinations, ...operations } = createDestinationOperations(services, {
    targetField: 'address',
    max: maxAlertHooks,
  })
  const requireHook = async ({ account_sid, alert_hook_sid }: { account_sid: string; alert_hook_sid: string }) => {
    const stored = await destinations.read(alert_hook_sid)
    return stored?.destination.account_sid === account_sid ? stored : throwApiError('not_found')
  }

  const readHooks = async (account_sid: string): Promise<StoredDestination[]> => {
    const all = await destinations.ofAccount(account_sid)
    const stored = await Promise.all(all.map(({ alert_destination_sid }) => destinations.read(alert_destination_sid)))
    return stored.filter((each) => each !== undefined)
  }

  const test = async (actor: Caller, stored: StoredDestination): Promise<AlertHookTestResult> => {
    const { alert_destination_sid: alert_hook_sid, kind, is_confirmed } = stored.destination
    const hook = { alert_hook_sid, type: toHookType(kind) }
    const fail = (error: string) => ({ ...hook, success: false, status: null, error })
    if (!is_confirmed) return fail('The email address is not confirmed yet')
    try {
      const { delivered, status, error } = await operations.test(actor, stored)
      return { ...hook, success: delivered, status, error }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'too_many_requests')
        return fail('Too many tests. Try again in a minute.')
      throw error
    }
  }

  return {
    'GET /Accounts/:account_sid/AlertHooks': async ({ actor, params: { account_sid } }) =>
      ok((await destinations.ofAccount(account_sid)).map((each) => toAlertHook(actor, account_sid, each))),

    'POST /Accounts/:account_sid/AlertHooks': async ({ actor, params: { account_sid }, body: { type, address } }) => {
      const kind = toDestinationKind(type)
      const name = createName(kind, address)
      const settings = { types: [], is_active: 1 as const, once_per_hour: 1 as const }
      return created({ sid: await operations.create(actor, { ...settings, account_sid, name, kind, target: address }) })
    },

    'GET /Accounts/:account_sid/AlertHooks/capabilities': () =>
      Promise.resolve(ok({ email: services.configuration.smtp !== null })),

    'POST /Accounts/:account_sid/AlertHooks/test': async ({ actor, params: { account_sid }, body }) => {
      const alert_hook_sid = body?.alert_hook_sid
      const hooks = alert_hook_sid ? [await requireHook({ account_sid, alert_hook_sid })] : await readHooks(account_sid)
      return ok({ results: await Promise.all(hooks.map((stored) => test(actor, stored))) })
    },

    'GET /Accounts/:account_sid/AlertHooks/:alert_hook_sid': async ({ actor, params }) =>
      ok(toAlertHook(actor, params.account_sid, (await requireHook(params)).destination)),

    'PUT /Accounts/:account_sid/AlertHooks/:alert_hook_sid': async ({ actor, params, body: { type, address } }) => {
      const { destination } = await requireHook(params)
      const kind = type === undefined ? destination.kind : toDestinationKind(type)
      const target = address ?? destination.target
      const message = validateDestination(kind, target)
      if (message !== undefined) throwInvalid(message, 'address')
      await operations.change(actor, destination, { kind, target })
    },

    'DELETE /Accounts/:account_sid/AlertHooks/:alert_hook_sid': async ({ actor, params }) => {
      await requireHook(params)
      await services.write(actor, (tx) => deleteAlertDestination(tx, actor, params.alert_hook_sid))
    },
  }
}
