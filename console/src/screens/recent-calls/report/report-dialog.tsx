import type { CreatedCallShare } from '@patchbay/contract/call-shares'
import type { Call } from '@patchbay/contract/recent-calls'
import { defaultReportMasking, type ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { sharedReportPath } from '@patchbay/contract/shared/call-share-limits'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { DialogForm } from '../../../feedback/form-dialog.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { formText } from '../../../form/use-form-submit.ts'
import { callSharesKey } from '../../../sections/call-shares/queries.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { LifetimeField, Links, NewLink, NoteField, type SharedCallParams } from '../share/link-parts.tsx'
import { DownloadButtons } from './download-buttons.tsx'
import { downloadReport } from './download-report.ts'
import { MaskingFields } from './masking-fields.tsx'
import styles from './report.module.css'

interface LinkFormProps extends SharedCallParams {
  report: ReportMasking & { sip_callid: string }
  onCreated: (link: CreatedCallShare) => void
  onClose: () => void
}

/** Creates a link to the report, and shows it. */
const LinkForm = ({ account_sid, call_sid, report, onCreated, onClose }: LinkFormProps) => {
  const create = useAction({
    run: (body: { expires_in_hours: string; note: string | null }) =>
      api('POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares', {
        params: { account_sid, call_sid },
        body: { ...body, includes_recording: false, report },
      }),
    changes: [callSharesKey(account_sid)],
    after: onCreated,
    quiet: true,
  })
  const submit = (form: HTMLFormElement) =>
    create.mutate({
      expires_in_hours: formText(form, 'expires_in_hours'),
      note: formText(form, 'note').trim() || null,
    })
  return (
    <DialogForm label="New link" submitLabel="Create link" action={create} onSubmit={submit} onCancel={onClose}>
      <LifetimeField />
      <NoteField />
    </DialogForm>
  )
}

interface ReportDialogProps {
  call: Call
  sip_callid: string
  onClose: () => void
}

/** Creates a report about a call for people outside the account, as files and as a link. */
export const ReportDialog = ({ call, sip_callid, onClose }: ReportDialogProps) => {
  const [masking, setMasking] = useState(defaultReportMasking)
  const [link, setLink] = useState<CreatedCallShare>()
  const { account_sid, call_sid } = call
  const report = { ...masking, sip_callid }
  const readOnlyReason =
    call_sid === null
      ? 'This call failed before it received a call SID, so there can be no link to it.'
      : viewOnlyReason(requiredSession().actor)
  const params = call_sid !== null && { account_sid, call_sid }
  return (
    <Dialog
      title="Report for the carrier"
      size="medium"
      onClose={onClose}
      footer={
        link || readOnlyReason ? (
          <>
            {link && <Button onClick={() => setLink(undefined)}>Create another link</Button>}
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        ) : undefined
      }
    >
      <div className={styles['parts']}>
        <p className="note">
          The report has the verdict, the facts of the call, the SIP ladder with all messages, and a pcap file. It has
          no recording and no media statistics. Credentials, keys, and headers that Patchbay does not know are always
          left out.
        </p>
        <MaskingFields call={call} masking={masking} onChange={setMasking} />
        <DownloadButtons download={(kind) => downloadReport(kind, { account_sid, ...report })} />
        <section aria-label="Link" className={styles['parts']}>
          <h3 className={styles['title']}>Link</h3>
          <p className="note">
            {readOnlyReason ??
              'Everyone with the link can read the report without signing in, until it expires or you revoke it.'}
          </p>
          {link && <NewLink link={link} path={sharedReportPath} />}
          {params && !link && !readOnlyReason && (
            <LinkForm {...params} report={report} onCreated={setLink} onClose={onClose} />
          )}
        </section>
        {params && <Links {...params} />}
      </div>
    </Dialog>
  )
}
