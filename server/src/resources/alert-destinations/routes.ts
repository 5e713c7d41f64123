import type { alertDestinationEndpoints, DestinationReport } from '@patchbay/contract/alert-destinations'
import { noOwner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { tryConsume } from '../../auth/counters/counters.ts'
import type { Delivered } from '../../call-data/alerts/deliver.ts'
import { createUnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { confirmAddress, isCurrentLink, stopAddress } from './address-confirmation.ts'
import { createDestinationOperations, maskForActor } from './operations.ts'
import { createDraftReader } from './read-draft.ts'
import { deleteAlertDestination, renewSecret } from './store.ts'

/** Maximum invalid links per network and hour. */
const maxWrongLinks = 60
const hour = 3600

/** Returns the result of a test and the time that it took. */
const measureReport = async (test: () => Promise<Delivered>): Promise<DestinationReport> => {
  const startedAt = performance.now()
  const { delivered, status, text, error: failure } = await test()
  return { delivered, milliseconds: Math.round(performance.now() - startedAt), status, text, failure }
}

export const alertDestinationRoutes = (services: Services): Handlers<keyof typeof alertDestinationEndpoints> => {
  const { configuration, counters, database, write, encryption, trail } = services
  const { destinations, confirmations, ...operations } = createDestinationOperations(services)
  const unsubscribeLinks = createUnsubscribeLinks(configuration)
  const readDraft = createDraftReader(services, { destinations, ...operations })
  const requireDestination = async (sid: string) => (await destinations.read(sid)) ?? throwApiError('not_found')

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
    return throwApiError('address_link_invalid')
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

    'POST /patchbay/alert-destinations': async ({ actor, body }) =>
      created({ sid: await operations.create(actor, body) }),

    'GET /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params }) =>
      ok(maskForActor(actor, (await requireDestination(params.alert_destination_sid)).destination)),

    'PUT /patchbay/alert-destinations/:alert_destination_sid': async ({ actor, params, body }) => {
      const { destination } = await requireDestination(params.alert_destination_sid)
      await operations.change(actor, destination, body)
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
      const { destination } = await requireDestination(params.alert_destination_sid)
      const deliveries = await destinations.deliveries(destination, Number(page), Number(count))
      return ok({ total: deliveries.total, page, page_size: count, data: deliveries.data })
    },

    'POST /patchbay/alert-destinations/:alert_destination_sid/test': async ({ actor, params }) => {
      const stored = await requireDestination(params.alert_destination_sid)
      if (!stored.destination.is_confirmed) return throwApiError('address_unconfirmed')
      return ok(await measureReport(() => operations.test(actor, stored)))
    },

    'POST /patchbay/alert-destinations/test': async ({ actor, body }) => {
      const draft = await readDraft(actor, body)
      const report = await measureReport(() => operations.test(actor, draft))
      return ok({ ...report, is_signed_provisionally: draft.is_signed_provisionally })
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
