import { ApiError, throwApiError } from '@patchbay/contract/api/errors'
import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { type CreatedRecord, type Dns, DnsError } from '../../adapters/dns/dns.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import {
  assignRealm,
  ClaimLost,
  cancelClaim,
  claimRealm,
  completeRealm,
  removeLeftovers,
  removeOwnLeftovers,
  startCreation,
} from '../shared/realm-records.ts'
import { readSbcAddresses } from './store.ts'

/**
 * Assigns a SIP realm to an account: claims it in the database, creates its records at the DNS provider, and then
 * updates the account. Failures are rolled back immediately or by a later run.
 */

interface RealmRequest {
  account_sid: string
  sip_realm: string
}

interface CreatedRecords {
  zone: string
  records: CreatedRecord[]
}

export const createRealmChange = ({ database, write, dns, backgroundTasks, onBackgroundError }: Services) => {
  const getAddresses = async (account_sid: string): Promise<string[]> => {
    const addresses = (await readSbcAddresses(database, account_sid)).filter(isIpv4)
    return addresses.length > 0 ? addresses : throwApiError('no_sbc_addresses')
  }

  const createRecords = async (dns_: Dns, realm_records_sid: string, { account_sid, sip_realm }: RealmRequest) => {
    const addresses = await getAddresses(account_sid)
    const zone = await dns_.findZone(sip_realm)
    if (zone === undefined) throw new DnsError(`no managed domain contains ${sip_realm} could be`)
    await removeLeftovers(database, dns_, sip_realm)
    // Existing records were created by the operator and must not be replaced.
    if ((await dns_.findRecordIds(zone, sip_realm)).length > 0)
      return throwApiError('duplicate', { msg: 'Duplicate entry: sip_realm is already in use', field: 'sip_realm' })
    if (!(await startCreation(database, realm_records_sid, zone)))
      throw new ClaimLost('reserving the SIP realm took too long')
    return { zone, records: await dns_.createRecords(zone, sip_realm, addresses) }
  }

  const undo = async (
    dns_: Dns,
    claim: RealmRequest & { realm_records_sid: string },
    createdRecords: CreatedRecords | undefined,
  ) => {
    const { realm_records_sid } = claim
    await cancelClaim(database, claim, createdRecords)
    backgroundTasks.begin('DNS records of a failed change of a SIP realm could not be removed', () =>
      removeOwnLeftovers(database, dns_, realm_records_sid),
    )
  }

  const changeWithRecords = async (dns_: Dns, actor: Caller, request: RealmRequest): Promise<void> => {
    const { account_sid, sip_realm } = request
    const realm_records_sid = await write(actor, (tx) => claimRealm(tx, account_sid, sip_realm))
    if (realm_records_sid === undefined) return
    const claim = { realm_records_sid, ...request }
    let createdRecords: CreatedRecords | undefined
    try {
      createdRecords = await createRecords(dns_, realm_records_sid, request)
      const { records } = createdRecords
      await write(actor, (tx) => completeRealm(tx, claim, records))
    } catch (error) {
      // If the cancellation fails, another process cleans up after the time limit.
      await undo(dns_, claim, createdRecords).catch((undoError: unknown) =>
        onBackgroundError(undoError, 'the reservation of a SIP realm could not be undone', { sip_realm }),
      )
      if (!(error instanceof DnsError) && !(error instanceof ClaimLost)) throw error
      onBackgroundError(error, 'DNS records could not be created', { sip_realm })
      throw new ApiError('unavailable', { msg: `failure updating dns records for ${sip_realm}` })
    }
  }

  /** Changes the realm of an account. `hasRecords` is true if the realm gets DNS records when Patchbay manages DNS. */
  return async (actor: Caller, request: RealmRequest, hasRecords: boolean): Promise<void> => {
    if (dns !== null && hasRecords) return changeWithRecords(dns, actor, request)
    await write(actor, (tx) => assignRealm(tx, request.account_sid, request.sip_realm))
  }
}
