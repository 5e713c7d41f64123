import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { answerOfBytes } from '../../api/bytes.ts'
import { addressOf, call } from '../../api/client.ts'
import { failureText } from '../../api/failure.ts'
import { useAction } from '../../page/use-action.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'

interface RegistrationPcapProps {
  carrier: Pick<VoipCarrier, 'account_sid' | 'service_provider_sid'>
  callId: string
}

type Owner = { account_sid: string } | { service_provider_sid: string }

const totalOf = async (owner: Owner, sip_callid: string): Promise<number> => {
  const { total } =
    'account_sid' in owner
      ? await call('GET /Accounts/:account_sid/RecentCalls/:sip_callid', { params: { ...owner, sip_callid } })
      : await call('GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid', {
          params: { ...owner, sip_callid },
        })
  return total
}

const fileOf = async (owner: Owner, sip_callid: string): Promise<Blob> => {
  const scope = 'account_sid' in owner ? '/Accounts/:account_sid' : '/ServiceProviders/:service_provider_sid'
  const path = addressOf('', `${scope}/RecentCalls/:sip_callid/register/pcap`, { params: { ...owner, sip_callid } })
  return (await answerOfBytes(path)).blob()
}

/** The SIP of the last registration, looked for when it is asked for; what is not there is said in place. */
export const RegistrationPcap = ({ carrier, callId }: RegistrationPcapProps) => {
  const { account_sid, service_provider_sid } = carrier
  const download = useAction({
    quiet: true,
    run: async () => {
      const owner = account_sid ? { account_sid } : { service_provider_sid: service_provider_sid ?? '' }
      if ((await totalOf(owner, callId)) === 0) return 'none'
      saveFile(`callid-${callId}.pcap`, await fileOf(owner, callId))
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
      {download.data === 'none' && <Banner role="status">No SIP of this registration was captured.</Banner>}
      {download.error && (
        <Banner tone="bad" role="alert">
          {failureText(download.error)}
        </Banner>
      )}
    </>
  )
}
