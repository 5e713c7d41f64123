import type { Call } from '@patchbay/contract/recent-calls'
import { defaultReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { sharedReportPath } from '@patchbay/contract/shared/call-share-limits'
import { useState } from 'react'
import { errorMessage } from '../../../api/api-error.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Banner } from '../../../ui/banner.tsx'
import { type CreatedLink, LinkDialog, LinkForm, Links, NewLink } from '../share/link-parts.tsx'
import { DownloadButtons } from './download-buttons.tsx'
import { downloadReport } from './download-report.ts'
import { MaskingFields } from './masking-fields.tsx'
import styles from './report.module.css'
import { useLegChoice } from './use-leg-choice.tsx'

interface ReportDialogProps {
  call: Call
  sip_callid: string
  onClose: () => void
}

/** Creates a report about a call for people outside the account, as files and as a link. */
export const ReportDialog = ({ call, sip_callid, onClose }: ReportDialogProps) => {
  const [masking, setMasking] = useState(defaultReportMasking)
  const [link, setLink] = useState<CreatedLink>()
  const { isPending, error, choice, field } = useLegChoice(call, sip_callid)
  const { account_sid, call_sid } = call
  const report = { ...masking, ...choice }
  const readOnlyReason =
    call_sid === null
      ? 'This call failed before it received a call SID, so there can be no link to it.'
      : viewOnlyReason(requiredSession().actor)
  const params = call_sid !== null && { account_sid, call_sid }
  const hasForm = link === undefined && readOnlyReason === undefined && !isPending
  return (
    <LinkDialog
      title="Report for the carrier"
      link={link}
      hasForm={hasForm}
      onAnother={() => setLink(undefined)}
      onClose={onClose}
    >
      <p className="note">
        The report has the verdict, the facts of the call, the SIP ladder with all messages, and a pcap file. It has no
        recording and no media statistics. Credentials, keys, and headers that Patchbay does not know are always left
        out.
      </p>
      <MaskingFields call={call} masking={masking} onChange={setMasking} />
      {field}
      {error && (
        <Banner tone="warn" role="alert" title="The other legs of this call could not be loaded.">
          The report has the opened leg only. {errorMessage(error)}
        </Banner>
      )}
      <DownloadButtons
        disabledReason={isPending ? 'The legs of the call are still loading.' : undefined}
        download={(kind) => downloadReport(kind, { account_sid, ...report })}
      />
      <section aria-label="Link" className={styles['parts']}>
        <h3 className={styles['title']}>Link</h3>
        <p className="note">
          {readOnlyReason ??
            'Everyone with the link can read the report without signing in, until it expires or you revoke it.'}
        </p>
        {link && <NewLink link={link} />}
        {params && hasForm && (
          <LinkForm
            {...params}
            path={sharedReportPath}
            getContent={() => ({ includes_recording: false, report })}
            onCreated={setLink}
            onCancel={onClose}
          />
        )}
      </section>
      {params && <Links {...params} />}
    </LinkDialog>
  )
}
