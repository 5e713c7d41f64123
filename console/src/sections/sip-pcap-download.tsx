import type { OwnerSid } from '../api/record-queries.ts'
import { ErrorBanner } from '../feedback/error-banner.tsx'
import { useAction } from '../feedback/use-action.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'

interface SipPcapProps {
  /** The owner of the capture, if the caller knows it. */
  owner: OwnerSid
  sip_callid: string
  /** INVITE for a call, REGISTER for a registration. */
  method: 'invite' | 'register'
  /** The message if nothing was captured. */
  none: string
}

/** A button that downloads a capture. Its code loads with the first click. Reports a missing one beside the button. */
export const SipPcap = ({ owner, sip_callid, method, none }: SipPcapProps) => {
  const download = useAction({
    quiet: true,
    run: async () => {
      const { downloadPcap } = await import('./download-pcap.ts')
      return downloadPcap(owner, sip_callid, method)
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
      {download.error && <ErrorBanner error={download.error} />}
    </>
  )
}
