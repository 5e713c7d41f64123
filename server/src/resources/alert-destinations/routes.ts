import { type Actor, can, noOwner } from '@patchbay/contract/access'
import type { AlertDestination, alertDestinationEndpoints } from '@patchbay/contract/alert-destinations'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'
import { maskAlertTarget } from '@patchbay/contract/shared/masking'
import type { Caller } from '../../lib/caller.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { created, ok } from '../../http/responses.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { deliver } from '../../call-data/alerts/deliver.ts'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import { tryConsume } from '../../auth/counters/counters.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import type { Services } from '../services.ts'
import { createUnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { confirmAddress, isCurrentLink, stopAddress } from './address-confirmation.ts'
import { createConfirmationMails } from './confirmation-mailer.ts'
import {
  changeAlertDestination,
  createAlertDestination,
  createAlertDestinationStore,
  deleteAlertDestination,
  renewSecret,
} from './store.ts'

/**
 * Maximum tests per minute of an account, and of all accounts of a provider. Each test sends a message to a target that
 * the tenant chose.
 */
export const maxDestinationTestsPerMinute = { account: 10, provider: 30 }

/** Maximum invalid links per network and hour. */
const maxWrongLinks = 60
const hour = 3600

/**
 * Rejects a webhook at an IP address of a private network. Host names are not resolved here, because the result would
 * reveal which internal names exist. Every delivery checks the address to which it connects.
 */
const checkTarget = (outgoing: Outgoing, kind: DestinationKind, target: string): void => {
  if (kind !== 'webhook' || !URL.canParse(target)) return
  try {
    outgoing.check(target)
  } catch (error) {
    if (error instanceof AddressNotAllowedError) throwInvalid(error.message, 'target')
    throw error
  }
}

/** Masks the target unless the actor may change the destination. */
const maskForActor = (actor: Actor, destination: AlertDestination): AlertDestination =>
  can(actor, 'write', destination) ? destination : { ...destination, target: maskAlertTarget(destination.target) }

export const alertDestinationRoutes = (services: Services): Handlers<keyof typeof alertDestinationEndpoints> => {
  const { configuration, counters, database, write, encryption, outgoing, mail, rates, trail } = services
  const confirmations = createConfirmationMails(services)
  const unsubscribeLinks = createUnsubscribeLinks(configuration)
  const destinations = createAlertDestinationStore(database, encryption)
  const requireDestination = async (sid: string) => (await destinations.read(sid)) ?? throwApiError('not_found')
  const requestConfirmation = async (actor: Caller, sid: string): Promise<void> => {
    const current = await destinations.read(sid)
    if (current) confirmations.sendInBackground(actor, current.destination)
  }

  /** Handles a link from a mail. Links cannot be guessed; the limit makes attempts cheap to reject. */
  const handleLink = async (
    { address, request_id }: Pick<Context<'POST /patchbay/alert-addresses/confirm'>, 'address' | 'request_id'>,
    isValidLink: Promise<boolean>,
    change: (tx: WriteTransaction) => Promise<void>,
  ) => {
    if (await isValidLink) return write({ token: 'nobody', address, request_id }, change)
    const failures = { counter: `alert-address:link:${toClientNetwork(address)}`, max: maxWrongLinks, seconds: hour }
    if (!(await tryConsume(counters, failures))) return throwApiError('too_many_requests')
    const event = { action: 'refused', kind: 'confirmation_link', sid: null, name: null } as const
    trail.note({
      ...event,
      caller: undefined,
      address,
      request_id,
      owner: noOwner,
      reason: 'The link of an email is not valid',
    })
    return throwApiError('address_link_unknown')
  }
  const isUnsubscribeLink = async (link: string): Promise<boolean> => {
    const current = await destinations.read(unsubscribeLinks.getDestinationSid(link))
    return current !== undefined && unsubscribeLinks.isValid(link, current.destination)
  }
  return {
    'GET /patchbay/accounts/:account_sid/alert-destinations': async ({ actor, params }) =>
      ok((await destinations.ofAccount(params.account_sid)).map((one) => maskForActor(actor, one))),

    'GET /patchbay/service-providers/:service_provider_sid/alert-destinations': async ({ actor, params }) =>
      ok((await destinations.ofProvider(params.service_provider_sid)).map((one) => maskForActor(actor, one))),

    'POST /patchbay/alert-destinations': async ({ actor, body }) => {
      checkTarget(outgoing, body.kind, body.target)
      const sid = await write(actor, (tx) => createAlertDestination(tx, actor, body, encryption))
      await requestConfirmation(actor, sid)
      return created({ sid })
    },

    'GET /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params }) =>
      ok(maskForActor(actor, (await requireDestination(params.alert_destination_sid)).destination)),

    'PUT /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params, body }) => {
      const { destination } = await requireDestination(params.alert_destination_sid)
      const { kind = destination.kind, target = destination.target } = body
      if (body.kind !== undefined || body.target !== undefined) checkTarget(outgoing, kind, target)
      await write(actor, (tx) => changeAlertDestination(tx, actor, params.alert_destination_sid, body))
      if (kind !== destination.kind || target !== destination.target)
        await requestConfirmation(actor, params.alert_destination_sid)
    },

    'DELETE /patchbay/alert-destinations/:alert_destination_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteAlertDestination(tx, actor, params.alert_destination_sid)),

    'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret': async ({ actor, params, query }) => {
      const { alert_destination_sid: sid } = params
      if (query.regenerate === 'true')
        return ok({ webhook_secret: await write(actor, (tx) => renewSecret(tx, actor, sid, encryption)) })
      if (actor.is_view_only) throwApiError('view_only')
      return ok({ webhook_secret: (await requireDestination(sid)).secret })
    },

    'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries': async ({ params, query }) => {
      const { page, count } = query
      const deliveries = await destinations.deliveries(params.alert_destination_sid, Number(page), Number(count))
      return ok({ total: deliveries.total, page, page_size: count, data: deliveries.data })
    },

    'POST /patchbay/alert-destinations/:alert_destination_sid/test': async ({ actor, params }) => {
      const { destination, secret } = await requireDestination(params.alert_destination_sid)
      const { account_sid, service_provider_sid, alert_destination_sid: sid, name, kind, target } = destination
      if (!destination.is_confirmed) return throwApiError('address_unconfirmed')
      await countForTenant(rates, 'alert-destination-tests', maxDestinationTestsPerMinute, destination)
      const alert = {
        time: new Date().toISOString(),
        account_sid,
        service_provider_sid,
        alert_type: 'test',
        message: `This is a test of the alert destination ${name}. Nothing went wrong.`,
        detail: null,
        target_sid: null,
        vendor: null,
      }
      const startedAt = performance.now()
      const result = await deliver(
        { outgoing, mail },
        { kind, target, secret, unsubscribePath: unsubscribeLinks.createPath(destination) },
        { alerts: [alert], count: 1 },
      )
      const { delivered, status, text, error: failure } = result
      const after = { target, outcome: failure ?? status ?? 'sent' }
      await write(actor, async (tx) => {
        const owner = { account_sid, service_provider_sid }
        tx.record({ action: 'try', kind: 'alert_destination', sid, name, owner, before: null, after })
      })
      return ok({ delivered, milliseconds: Math.round(performance.now() - startedAt), status, text, failure })
    },

    'POST /patchbay/alert-destinations/:alert_destination_sid/confirmation': async ({ actor, params }) =>
      confirmations.sendNow(actor, (await requireDestination(params.alert_destination_sid)).destination),

    'POST /patchbay/alert-addresses/confirm': (context) =>
      handleLink(context, isCurrentLink(database, context.body.link), (tx) => confirmAddress(tx, context.body.link)),

    'POST /patchbay/alert-addresses/stop': (context) =>
      handleLink(context, isUnsubscribeLink(context.body.link), (tx) =>
        stopAddress(tx, unsubscribeLinks, context.body.link),
      ),
  }
}
