import { fetchBinary } from '../api/fetch-binary.ts'
import { buildUrl, api } from '../api/client.ts'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import type { OwnerSid } from '../api/record-queries.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useAction } from '../feedback/use-action.ts'

interface SipPcapProps {
  /** The owner of the capture, if the caller knows it. */
  owner: OwnerSid
  sip_callid: string
  /** INVITE for a call, REGISTER for a registration. */
  method: 'invite' | 'register'
  /** The message if nothing was captured. */
  none: string
}

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

/** Downloads a capture. Reports a missing one beside the button. */
export const SipPcap = ({ owner, sip_callid, method, none }: SipPcapProps) => {
  const download = useAction({
    quiet: true,
    run: async () => {
      if ((await countMessages(owner, sip_callid)) === 0) return 'none'
      saveFile(`callid-${sip_callid}.pcap`, await fetchFile(owner, sip_callid, method))
      return 'saved'
    },
  })
  return (
    <>
      <div>
        <Button size="small" busy={download.isPending} onClick={() => download.mutate(undefined)}>
          Download pcap
        </Button>
      </div>
      {download.data === 'none' && <Banner role="status">{none}</Banner>}
      {download.error && (
        <Banner tone="bad" role="alert" requestId={getRequestId(download.error)}>
          {errorMessage(download.error)}
        </Banner>
      )}
    </>
  )
}
