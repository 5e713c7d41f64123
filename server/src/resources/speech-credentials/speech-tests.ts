import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Stored, Vendor } from '@patchbay/contract/speech/descriptor'
import type { NewSpeechCredential, SpeechDraft, SpeechTest } from '@patchbay/contract/speech-credentials'
import type { Uses } from '@patchbay/rules/speech/credential'
import { testCredential } from '../../adapters/speech/test-credential.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import { sqlTime } from '../../database/engine.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import {
  applyDraft,
  createStored,
  credentialForVendor,
  getUses,
  requireCredential,
  validateKeyFile,
} from './credential-members.ts'
import { runForTenant } from './run-for-tenant.ts'
import { type CredentialRow, saveTest } from './store.ts'

/** Tests of speech credentials with real requests to their vendors, before and after they are saved. */

/**
 * Maximum tests per minute of an account, and of all accounts of a provider. Each test sends requests to a vendor with
 * the tenant's credential.
 */
export const maxSpeechTestsPerMinute = { account: 60, provider: 180 }

interface TestedCredential {
  owner: Owner
  vendor: Vendor
  /** The name under which requests find the vendor's protocol. */
  name: string
  stored: Stored
  uses: Uses
}

const toFlag = ({ status }: SpeechTest['tts']): 0 | 1 => (status === 'ok' ? 1 : 0)

export const createSpeechTests = ({ database, configuration, encryption, outgoing, rates }: Services) => {
  /** Users of an account test the credentials that their provider shares at the expense of their account. */
  const count = (actor: Actor, owner: Owner): Promise<void> =>
    countForTenant(rates, 'speech-tests', maxSpeechTestsPerMinute, actor.scope === 'account' ? actor : owner)

  const testBoth = async ({ owner, vendor, name, stored, uses }: TestedCredential): Promise<SpeechTest> => {
    const fault = validateKeyFile(vendor, stored)
    if (fault !== undefined) throwApiError('unusable_speech_credential', { msg: fault })
    const testUse = (use: 'tts' | 'stt') =>
      uses[use]
        ? runForTenant(owner, () => testCredential(name, use, stored, outgoing))
        : Promise.resolve({ status: 'not tested' } as const)
    const [tts, stt] = await Promise.all([testUse('tts'), testUse('stt')])
    return { tts, stt }
  }

  return {
    /** Tests a stored credential, and stores the result. */
    async testStored(actor: Actor, row: CredentialRow): Promise<SpeechTest> {
      await count(actor, row)
      const credential = requireCredential(row, encryption, configuration)
      const result = await testBoth({ owner: row, name: row.vendor, uses: getUses(row), ...credential })
      const { tts, stt } = result
      if (tts.status !== 'not tested' || stt.status !== 'not tested')
        await saveTest(database, row.speech_credential_sid, {
          last_tested: sqlTime(database.engine, new Date()),
          ...(tts.status === 'not tested' ? {} : { tts_tested_ok: toFlag(tts) }),
          ...(stt.status === 'not tested' ? {} : { stt_tested_ok: toFlag(stt) }),
        })
      return result
    },

    /** Tests a credential with changes that are not saved. The stored result remains, because it is of the stored one. */
    async testDraft(actor: Actor, row: CredentialRow, draft: SpeechDraft): Promise<SpeechTest> {
      await count(actor, row)
      const { stored, ...changed } = applyDraft(row, draft, encryption)
      return testBoth({
        owner: row,
        name: row.vendor,
        ...changed,
        stored: credentialForVendor(row, stored, configuration),
      })
    },

    /** Tests a credential that is not saved. */
    async testNew(actor: Actor, input: NewSpeechCredential): Promise<SpeechTest> {
      const owner = await resolveOwner(database.db, actor, input)
      await count(actor, owner)
      const {
        vendor: name,
        label: _label,
        account_sid: _a,
        service_provider_sid: _p,
        use_for_tts,
        use_for_stt,
        ...body
      } = input
      const uses = getUses({ use_for_tts, use_for_stt })
      const { vendor, stored } = createStored(name, body, uses)
      return testBoth({
        owner,
        name,
        vendor,
        uses,
        stored: credentialForVendor({ vendor: name, ...owner }, stored, configuration),
      })
    },
  }
}
