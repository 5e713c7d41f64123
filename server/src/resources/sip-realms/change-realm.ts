import { ApiError, throwApiError } from '@patchbay/contract/errors'
import { isIpv4 } from '@patchbay/contract/shared/addresses'
import type { Caller } from '../../lib/caller.ts'
import { type Dns, DnsError, type CreatedRecord } from '../../adapters/dns/dns.ts'
import type { Services } from '../services.ts'
import {
  startCreation,
  claimRealm,
  ClaimLost,
  removeLeftovers,
  removeOwnLeftovers,
  cancelClaim,
  completeRealm,
  assignRealm,
} from '../shared/realm-records.ts'
import { readSbcAddresses } from './store.ts'

/**
 * Gives an account a realm: claimed in the database, its records made at the provider, then the account's; whatever fails
 * on the way is undone, at once or later.
 */

interface Wanted {
  account_sid: string
  sip_realm: string
}

interface Made {
  zone: string
  records: CreatedRecord[]
}

export const createRealmChange = ({ database, write, dns, afterwards, onBackgroundError }: Services) => {
  const addressesFor = async (account_sid: string): Promise<string[]> => {
    const addresses = (await readSbcAddresses(database, account_sid)).filter(isIpv4)
    return addresses.length > 0 ? addresses : throwApiError('no_sbc_addresses')
  }

  const makeRecords = async (dns_: Dns, realm_records_sid: string, { account_sid, sip_realm }: Wanted) => {
    const addresses = await addressesFor(account_sid)
    const zone = await dns_.findZone(sip_realm)
    if (zone === undefined) throw new DnsError(`no domain is managed in which ${sip_realm} could be`)
    await removeLeftovers(database, dns_, sip_realm)
    // What the operator put there is nobody's to take.
    if ((await dns_.findRecordIds(zone, sip_realm)).length > 0)
      return throwApiError('duplicate', { msg: 'Duplicate entry: sip_realm is already in use', field: 'sip_realm' })
    if (!(await startCreation(database, realm_records_sid, zone))) throw new ClaimLost('a claim took too long')
    return { zone, records: await dns_.createRecords(zone, sip_realm, addresses) }
  }

  const undo = async (dns_: Dns, claim: Wanted & { realm_records_sid: string }, made: Made | undefined) => {
    const { realm_records_sid } = claim
    await cancelClaim(database, claim, made)
    afterwards.begin('DNS records of a SIP realm that was not given could not be removed', () =>
      removeOwnLeftovers(database, dns_, realm_records_sid),
    )
  }

  const withRecords = async (dns_: Dns, actor: Caller, wanted: Wanted): Promise<void> => {
    const { account_sid, sip_realm } = wanted
    const realm_records_sid = await write(actor, (tx) => claimRealm(tx, account_sid, sip_realm))
    if (realm_records_sid === undefined) return
    const claim = { realm_records_sid, ...wanted }
    let made: Made | undefined
    try {
      made = await makeRecords(dns_, realm_records_sid, wanted)
      const { records } = made
      await write(actor, (tx) => completeRealm(tx, claim, records))
    } catch (error) {
      // Where not even that can be written down, another process finds it once its time has run out.
      await undo(dns_, claim, made).catch((lost: unknown) => onBackgroundError(lost, 'a claim of a SIP realm was left'))
      if (!(error instanceof DnsError) && !(error instanceof ClaimLost)) throw error
      onBackgroundError(error, `DNS records of ${sip_realm} could not be made`)
      throw new ApiError('unavailable', { msg: `failure updating dns records for ${sip_realm}` })
    }
  }

  /** `hasRecords`: where DNS is managed here, the realm is one of those that get records. */
  return async (actor: Caller, wanted: Wanted, hasRecords: boolean): Promise<void> => {
    if (dns !== null && hasRecords) return withRecords(dns, actor, wanted)
    await write(actor, (tx) => assignRealm(tx, wanted.account_sid, wanted.sip_realm))
  }
}
