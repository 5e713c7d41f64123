import { type Actor, can } from '@patchbay/contract/access'
import type { AlertDestination, alertDestinationEndpoints } from '@patchbay/contract/alert-destinations'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'
import { maskAlertTarget } from '@patchbay/contract/shared/masking'
import type { Caller } from '../../lib/caller.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { created, noContent, ok } from '../../http/responses.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { deliver } from '../../call-data/alerts/deliver.ts'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import { tryConsume } from '../../auth/counters/counters.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import type { Services } from '../services.ts'
import { createUnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { confirmAddress, knowsLink, stopAddress } from './address-confirmation.ts'
import { createConfirmationMails } from './confirmation-mailer.ts'
import {
  changeAlertDestination,
  createAlertDestination,
  createAlertDestinationStore,
  deleteAlertDestination,
  renewSecret,
} from './store.ts'

/** Each sends something to where the tenant says. */
export const destinationTestsAMinute = { account: 10, provider: 30 }

/** Of one network, that are not ours. */
const maxWrongLinks = 60
const hour = 3600

/**
 * Rejects a webhook at an IP address of a private network. A host name is not resolved here: whether it could be would
 * tell callers which internal names exist. Every delivery checks the address that it connects to.
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

/** Those who may not change a destination do not learn its whole address. */
const visibleTo = (actor: Actor, destination: AlertDestination): AlertDestination =>
  can(actor, 'write', destination) ? destination : { ...destination, target: maskAlertTarget(destination.target) }

export const alertDestinationRoutes = (services: Services): Handlers<keyof typeof alertDestinationEndpoints> => {
  const { configuration, counters, database, write, encryption, outgoing, mail, rates, trail } = services
  const confirmations = createConfirmationMails(services)
  const stopLinks = createUnsubscribeLinks(configuration)
  const destinations = createAlertDestinationStore(database, encryption)
  const found = async (sid: string) => (await destinations.read(sid)) ?? throwApiError('not_found')
  const askSoon = async (actor: Caller, sid: string): Promise<void> => {
    const kept = await destinations.read(sid)
    if (kept) confirmations.sendSoon(actor, kept.destination)
  }

  /** Links cannot be guessed; who tries all the same is turned away at little cost. */
  const byLink = async (
    { address, request_id }: Pick<Context<'POST /patchbay/alert-addresses/confirm'>, 'address' | 'request_id'>,
    isOurs: Promise<boolean>,
    said: (tx: WriteTransaction) => Promise<void>,
  ) => {
    if (await isOurs) {
      await write({ token: 'nobody', address, request_id }, said)
      return noContent
    }
    const failures = { counter: `alert-address:link:${toClientNetwork(address)}`, max: maxWrongLinks, seconds: hour }
    if (!(await tryConsume(counters, failures))) return throwApiError('too_many_requests')
    const thing = { action: 'refused', kind: 'confirmation_link', sid: null, name: null } as const
    const owner = { account_sid: null, service_provider_sid: null }
    trail.note({ ...thing, caller: undefined, address, request_id, owner, reason: 'The link of a mail is not valid' })
    return throwApiError('address_link_unknown')
  }
  const isStopLink = async (link: string): Promise<boolean> => {
    const named = await destinations.read(stopLinks.getDestinationSid(link))
    return named !== undefined && stopLinks.isValid(link, named.destination)
  }
  return {
    'GET /patchbay/accounts/:account_sid/alert-destinations': async ({ actor, params }) =>
      ok((await destinations.ofAccount(params.account_sid)).map((one) => visibleTo(actor, one))),

    'GET /patchbay/service-providers/:service_provider_sid/alert-destinations': async ({ actor, params }) =>
      ok((await destinations.ofProvider(params.service_provider_sid)).map((one) => visibleTo(actor, one))),

    'POST /patchbay/alert-destinations': async ({ actor, body }) => {
      checkTarget(outgoing, body.kind, body.target)
      const sid = await write(actor, (tx) => createAlertDestination(tx, actor, body, encryption))
      await askSoon(actor, sid)
      return created({ sid })
    },

    'GET /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params }) =>
      ok(visibleTo(actor, (await found(params.alert_destination_sid)).destination)),

    'PUT /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params, body }) => {
      const { destination } = await found(params.alert_destination_sid)
      const { kind = destination.kind, target = destination.target } = body
      if (body.kind !== undefined || body.target !== undefined) checkTarget(outgoing, kind, target)
      await write(actor, (tx) => changeAlertDestination(tx, actor, params.alert_destination_sid, body))
      if (kind !== destination.kind || target !== destination.target) await askSoon(actor, params.alert_destination_sid)
      return noContent
    },

    'DELETE /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params }) => {
      await write(actor, (tx) => deleteAlertDestination(tx, actor, params.alert_destination_sid))
      return noContent
    },

    'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret': async ({ actor, params, query }) => {
      const { alert_destination_sid: sid } = params
      if (query.regenerate === 'true')
        return ok({ webhook_secret: await write(actor, (tx) => renewSecret(tx, actor, sid, encryption)) })
      if (actor.is_view_only) throwApiError('view_only')
      return ok({ webhook_secret: (await found(sid)).secret })
    },

    'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries': async ({ params, query }) => {
      const { page, count } = query
      const answer = await destinations.deliveries(params.alert_destination_sid, Number(page), Number(count))
      return ok({ total: answer.total, page, page_size: count, data: answer.data })
    },

    'POST /patchbay/alert-destinations/:alert_destination_sid/test': async ({ actor, params }) => {
      const { destination, secret } = await found(params.alert_destination_sid)
      const { account_sid, service_provider_sid, alert_destination_sid: sid, name, kind, target } = destination
      if (!destination.is_confirmed) return throwApiError('address_unconfirmed')
      await countForTenant(rates, 'alert-destination-tests', destinationTestsAMinute, destination)
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
      const began = performance.now()
      const sent = await deliver(
        { outgoing, mail },
        { kind, target, secret, unsubscribeLink: stopLinks.create(destination) },
        { alerts: [alert], count: 1 },
      )
      const { delivered, status, text, error: failure } = sent
      const after = { target, outcome: failure ?? status ?? 'sent' }
      await write(actor, async (tx) => {
        const owner = { account_sid, service_provider_sid }
        tx.record({ action: 'try', kind: 'alert_destination', sid, name, owner, before: null, after })
      })
      return ok({ delivered, milliseconds: Math.round(performance.now() - began), status, text, failure })
    },

    'POST /patchbay/alert-destinations/:alert_destination_sid/confirmation': async ({ actor, params }) => {
      await confirmations.sendNow(actor, (await found(params.alert_destination_sid)).destination)
      return noContent
    },

    'POST /patchbay/alert-addresses/confirm': (asked) =>
      byLink(asked, knowsLink(database, asked.body.link), (tx) => confirmAddress(tx, asked.body.link)),

    'POST /patchbay/alert-addresses/stop': (asked) =>
      byLink(asked, isStopLink(asked.body.link), (tx) => stopAddress(tx, stopLinks, asked.body.link)),
  }
}
