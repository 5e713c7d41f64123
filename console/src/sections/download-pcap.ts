import { api, buildUrl } from '../api/client.ts'
import { fetchBinary } from '../api/fetch-binary.ts'
import type { OwnerSid } from '../api/record-queries.ts'
import { saveFile } from '../ui/save-file.ts'

const countMessages = async (owner: OwnerSid, sip_callid: string): Promise<number> => {
  const { total } =
    owner.account_sid === undefined
      ? await api('GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid', {
          params: { ...owner, sip_callid },
        })
      : await api('GET /Accounts/:account_sid/RecentCalls/:sip_callid', { params: { ...owner, sip_callid } })
  return total
}

const fetchFile = async (owner: OwnerSid, sip_callid: string, method: string): Promise<Blob> => {
  const scope = owner.account_sid === undefined ? '/ServiceProviders/:service_provider_sid' : '/Accounts/:account_sid'
  const path = `${scope}/RecentCalls/:sip_callid/:method/pcap`
  return (await fetchBinary(buildUrl('', path, { params: { ...owner, sip_callid, method } }))).blob()
}

/** Saves the capture of a SIP Call-ID as a file. Returns `none` if nothing was captured. */
export const downloadPcap = async (owner: OwnerSid, sip_callid: string, method: string): Promise<'none' | 'saved'> => {
  if ((await countMessages(owner, sip_callid)) === 0) return 'none'
  saveFile(`callid-${sip_callid}.pcap`, await fetchFile(owner, sip_callid, method))
  return 'saved'
}
