import { fetchBinary } from '../api/fetch-binary.ts'
import { buildUrl, api } from '../api/client.ts'
import { errorMessage } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useAction } from '../feedback/use-action.ts'

type Owner = { account_sid: string } | { service_provider_sid: string }

interface SipPcapProps {
  /** whose it is, as far as the caller knows */
  owner: Owner
  sip_callid: string
  /** of a call, or of a registration */
  method: 'invite' | 'register'
  /** what is said where nothing was captured */
  none: string
}

const totalOf = async (owner: Owner, sip_callid: string): Promise<number> => {
  const { total } =
    'account_sid' in owner
      ? await api('GET /Accounts/:account_sid/RecentCalls/:sip_callid', { params: { ...owner, sip_callid } })
      : await api('GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid', {
          params: { ...owner, sip_callid },
        })
  return total
}

const fileOf = async (owner: Owner, sip_callid: string, method: string): Promise<Blob> => {
  const scope = 'account_sid' in owner ? '/Accounts/:account_sid' : '/ServiceProviders/:service_provider_sid'
  const path = `${scope}/RecentCalls/:sip_callid/:method/pcap`
  return (await fetchBinary(buildUrl('', path, { params: { ...owner, sip_callid, method } }))).blob()
}

/** Captured SIP as a file, looked for when it is asked for; what is not there is said in place. */
export const SipPcap = ({ owner, sip_callid, method, none }: SipPcapProps) => {
  const download = useAction({
    quiet: true,
    run: async () => {
      if ((await totalOf(owner, sip_callid)) === 0) return 'none'
      saveFile(`callid-${sip_callid}.pcap`, await fileOf(owner, sip_callid, method))
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
        <Banner tone="bad" role="alert">
          {errorMessage(download.error)}
        </Banner>
      )}
    </>
  )
}
