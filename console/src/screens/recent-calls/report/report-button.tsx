import type { Call } from '@patchbay/contract/recent-calls'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { config } from '../../../api/configuration.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { Button } from '../../../ui/button.tsx'

const ReportDialog = lazyDialog('call-report', async () => (await import('./report-dialog.tsx')).ReportDialog)

/** Opens the dialog that creates a report about a call. Renders nothing if the server cannot create reports. */
export const ReportButton = ({ call }: { call: Call }) => {
  const [isOpen, setOpen] = useState(false)
  const { sip_callid } = call
  if (!sip_callid || !config().extensions.has('call-reports')) return null
  return (
    <>
      <Button size="small" icon={<FileText size={14} aria-hidden="true" />} onClick={() => setOpen(true)}>
        Report for the carrier
      </Button>
      {isOpen && <ReportDialog call={call} sip_callid={sip_callid} onClose={() => setOpen(false)} />}
    </>
  )
}
