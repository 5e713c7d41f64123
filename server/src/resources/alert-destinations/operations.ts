import type {
  AlertDestination,
  AlertDestinationChange,
  NewAlertDestination,
} from '@patchbay/contract/alert-destinations'
import { type Actor, can } from '@patchbay/contract/api/access'
import type { DestinationKind } from '@patchbay/contract/shared/destination-kinds'
import { maskAlertTarget } from '@patchbay/rules/masking/masking'
import { type Delivered, deliver } from '../../call-data/alerts/deliver.ts'
import { createUnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { checkAddress } from '../shared/check-address.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createConfirmationMails } from './confirmation-mailer.ts'
import { changeAlertDestination, createAlertDestination, createAlertDestinationStore } from './store.ts'

/** Operations on alert destinations that their own endpoints and those of alert hooks share. */

/**
 * Maximum tests per minute of an account, and of all accounts of a provider. Each test sends a message to a target that
 * the tenant chose.
 */
export const maxDestinationTestsPerMinute = { account: 10, provider: 30 }

/** Masks the target unless the actor may change the destination. */
export const maskForActor = (actor: Actor, destination: AlertDestination): AlertDestination =>
  can(actor, 'write', destination) ? destination : { ...destination, target: maskAlertTarget(destination.target) }

export interface StoredDestination {
  destination: AlertDestination
  /** Key that signs webhook requests. */
  secret: string
}

/** A destination to test, and the key that signs its messages. A destination that is not saved has an empty SID. */
export interface TestedDestination {
  destination: Pick<
    AlertDestination,
    'alert_destination_sid' | 'account_sid' | 'service_provider_sid' | 'name' | 'kind' | 'target'
  >
  secret: string
}

interface Options {
  /** Member that errors of the target name. */
  targetField: string
  /** Maximum number of destinations of the owner, including the new one. */
  max?: number
}

export const createDestinationOperations = (
  services: Services,
  { targetField, max }: Options = { targetField: 'target' },
) => {
  const { configuration, database, write, encryption, outgoing, mail, rates } = services
  const confirmations = createConfirmationMails(services)
  const unsubscribeLinks = createUnsubscribeLinks(configuration)
  const destinations = createAlertDestinationStore(database, encryption)
  /** Rejects a webhook at an IP address of a private network. */
  const checkTarget = (kind: DestinationKind, target: string): void => {
    if ((kind === 'webhook' || kind === 'slack') && URL.canParse(target)) checkAddress(outgoing, target, targetField)
  }
  const requestConfirmation = async (actor: Caller, sid: string): Promise<void> => {
    const current = await destinations.read(sid)
    if (current) confirmations.sendInBackground(actor, current.destination)
  }
  return {
    destinations,
    confirmations,

    checkTarget,

    /** Creates a destination, sends the confirmation email if it needs one, and returns its SID. */
    async create(actor: Caller, body: NewAlertDestination): Promise<string> {
      checkTarget(body.kind, body.target)
      const sid = await write(actor, (tx) => createAlertDestination(tx, actor, body, encryption, max))
      await requestConfirmation(actor, sid)
      return sid
    },

    /** Changes a destination. Sends a confirmation email if it has another address afterwards. */
    async change(actor: Caller, current: AlertDestination, changes: AlertDestinationChange): Promise<void> {
      const { kind = current.kind, target = current.target } = changes
      const sid = current.alert_destination_sid
      if (changes.kind !== undefined || changes.target !== undefined) checkTarget(kind, target)
      await write(actor, (tx) => changeAlertDestination(tx, actor, sid, changes))
      if (kind !== current.kind || target !== current.target) await requestConfirmation(actor, sid)
    },

    /**
     * Sends a test alert to a destination that needs no confirmation or has it.
     * @throws ApiError `too_many_requests`
     */
    async test(actor: Caller, { destination, secret }: TestedDestination): Promise<Delivered> {
      const { account_sid, service_provider_sid, alert_destination_sid: sid, name, kind, target } = destination
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
      const result = await deliver(
        { outgoing, mail, configuration },
        { kind, target, secret, unsubscribePath: unsubscribeLinks.createPath(destination) },
        { alerts: [alert], count: 1 },
      )
      const after = { target, outcome: result.error ?? result.status ?? 'sent' }
      await write(actor, async (tx) => {
        const owner = { account_sid, service_provider_sid }
        tx.record({ action: 'try', kind: 'alert_destination', sid, name, owner, before: null, after })
      })
      return result
    },
  }
}
