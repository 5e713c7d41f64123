import type { Application } from '@patchbay/contract/applications'
import type { WebhookProblem, WebhookReport } from '@patchbay/contract/webhook-test'
import { vendorName } from '@patchbay/rules/speech/names'
import { lineAndColumn, parseJsonPositions } from '@patchbay/rules/webhooks/json-positions'
import type { Database } from '../../database/engine.ts'
import { selectCarriers } from '../shared/carrier-registrations.ts'
import { selectUsableServices } from '../shared/usable-speech-services.ts'
import { findVerbNeeds, type SpeechDefaults, type VerbNeed } from './verb-needs.ts'

/** Compares what verbs need with the speech services, carriers, and storage of the account that executes them. */

interface Owner {
  account_sid: string
  service_provider_sid: string
}

/** More verbs than this are not checked. */
const maxWarnings = 50

const toDefaults = (application: Application): SpeechDefaults => ({
  tts: { vendor: application.speech_synthesis_vendor, label: application.speech_synthesis_label },
  stt: { vendor: application.speech_recognizer_vendor, label: application.speech_recognizer_label },
})

const useLabels = { tts: 'text-to-speech', stt: 'speech-to-text' } as const

/** Reads the names of active carriers with an active outbound gateway. */
const readOutboundCarriers = async ({ reader }: Database, { account_sid }: Owner): Promise<ReadonlySet<string>> => {
  const carriers = await selectCarriers(reader, { account_sid })
    .innerJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
    .select('voip_carriers.name')
    .distinct()
    .where('voip_carriers.is_active', '=', 1)
    .where('sip_gateways.is_active', '=', 1)
    .where('sip_gateways.outbound', '=', 1)
    .execute()
  return new Set(carriers.map(({ name }) => name))
}

const hasStorage = async ({ reader }: Database, { account_sid }: Owner): Promise<boolean> => {
  const account = await reader
    .selectFrom('accounts')
    .select('bucket_credential')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return Boolean(account?.bucket_credential)
}

/** Reads what the account has, as far as the needs require it. Returns a function that says what a need lacks. */
const createCheck = async (database: Database, owner: Owner, needs: readonly VerbNeed[]) => {
  const needed = new Set(needs.map(({ kind }) => kind))
  const services = needed.has('speech')
    ? await selectUsableServices(database.reader, owner.account_sid, owner.service_provider_sid).execute()
    : []
  const carriers =
    needed.has('carrier') || needed.has('trunk') ? await readOutboundCarriers(database, owner) : new Set<string>()
  const canStore = needed.has('recording storage') && (await hasStorage(database, owner))

  return (need: VerbNeed): string | undefined => {
    switch (need.kind) {
      case 'speech': {
        const { use, choice } = need
        const label = choice.label || null
        const exists = services.some(
          (service) =>
            service.vendor === choice.vendor &&
            (service.label || null) === label &&
            service[use === 'tts' ? 'use_for_tts' : 'use_for_stt'],
        )
        const labelText = label === null ? '' : ` with the label “${label}”`
        return exists
          ? undefined
          : `The account has no speech service of ${vendorName(choice.vendor)}${labelText} for ${useLabels[use]}`
      }
      case 'carrier':
        return carriers.size > 0
          ? undefined
          : 'The account has no active carrier with an outbound gateway, so no call reaches a phone number'
      case 'trunk':
        return carriers.has(need.name)
          ? undefined
          : `The account has no active carrier “${need.name}” with an outbound gateway`
      case 'siprec server':
        return 'A recording needs siprecServerURL, or the type cloud'
      case 'recording storage':
        return canStore ? undefined : 'The account has no storage for recordings'
    }
  }
}

/** Returns a warning for each verb of the response that needs something that the account lacks. */
export const findMissingServices = async (
  database: Database,
  application: Application,
  owner: Owner,
  { answer, verbs }: WebhookReport,
): Promise<WebhookProblem[]> => {
  if (answer === null || verbs.length === 0) return []
  const needs = findVerbNeeds(JSON.parse(answer.text) as unknown[], toDefaults(application))
  const check = await createCheck(database, owner, needs)
  const findOffset = parseJsonPositions(answer.text)
  return needs
    .flatMap((need) => {
      const message = check(need)
      return message === undefined ? [] : [{ message, ...lineAndColumn(answer.text, findOffset(need.path) ?? 0) }]
    })
    .slice(0, maxWarnings)
}
