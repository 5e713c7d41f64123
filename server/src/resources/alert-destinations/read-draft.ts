import type { AlertDestinationDraft } from '@patchbay/contract/alert-destinations'
import { can } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { destinationKindLabels } from '@patchbay/contract/shared/destination-kinds'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { newWebhookSecret, readWebhookSecret } from '../shared/webhook-secret.ts'
import type { createDestinationOperations, TestedDestination } from './operations.ts'

type Operations = Pick<ReturnType<typeof createDestinationOperations>, 'destinations' | 'checkTarget'>

/** Creates a function that returns what a test needs to know about a destination that is not saved. */
export const createDraftReader = ({ database }: Services, { destinations, checkTarget }: Operations) => {
  /** A changed destination keeps its owner and its secret, so that the receiver can verify the signature. */
  const readStored = async (actor: Caller, sid: string) => {
    const stored = await destinations.read(sid)
    if (stored === undefined || !can(actor, 'write', stored.destination)) return throwApiError('not_found')
    return { ...stored.destination, secret: stored.secret }
  }

  const resolveNew = async (actor: Caller, { kind, ...draft }: AlertDestinationDraft) => {
    const { account_sid, service_provider_sid } = await resolveOwner(database.db, actor, draft)
    if (service_provider_sid === null) return throwInvalid('missing account_sid or service_provider_sid', 'account_sid')
    const secret = account_sid === null ? undefined : await readWebhookSecret(database, account_sid)
    const unsaved = { alert_destination_sid: '', name: destinationKindLabels[kind] }
    return { ...unsaved, account_sid, service_provider_sid, secret }
  }

  /**
   * @throws ApiError `address_unconfirmed` for an email address: its owner has not confirmed that it may receive mails
   */
  return async (
    actor: Caller,
    draft: AlertDestinationDraft,
  ): Promise<TestedDestination & { is_signed_provisionally: boolean }> => {
    const { kind, target, alert_destination_sid: sid } = draft
    const { secret, ...destination } = await (sid ? readStored(actor, sid) : resolveNew(actor, draft))
    if (kind === 'email') return throwApiError('address_unconfirmed')
    checkTarget(kind, target)
    return {
      destination: { ...destination, kind, target },
      secret: secret ?? newWebhookSecret(),
      is_signed_provisionally: kind === 'webhook' && secret === undefined,
    }
  }
}
