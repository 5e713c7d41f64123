import { useState } from 'react'
import { toaster } from '../feedback/toaster.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { toCsv } from '../ui/export.ts'
import { TextArea } from '../ui/fields/field.tsx'
import { ReadOnlyFields } from '../ui/fields/field-frame.tsx'
import { SecretField } from '../ui/fields/secret-field.tsx'
import { TextField } from '../ui/fields/text-field.tsx'
import { Duration } from '../ui/format/duration.tsx'
import { formatJson } from '../ui/format/json.ts'
import { PhoneNumber } from '../ui/format/phone-number.tsx'
import { Name, Reference } from '../ui/format/reference.tsx'
import { CopyField, Sid } from '../ui/format/sid.tsx'
import { DateTime, RelativeTime } from '../ui/format/time.tsx'
import { CopyMenu } from '../ui/overlay/copy-menu.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { PreferencesForm } from '../ui/preferences-form.tsx'
import { toCurl } from '../ui/request-code/curl.ts'
import { toJavaScript } from '../ui/request-code/javascript.ts'
import { DataTable } from '../ui/table/data-table.tsx'
import type { TableColumn } from '../ui/table/table-props.ts'
import styles from './gallery.module.css'
import { Part } from './section.tsx'

interface Call {
  sid: string
  attempted_at: string
  answered_at: string | number | null
  from: string
  to: string
  duration: number | null
  account_sid: string
  account: string | null
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

const calls: readonly Call[] = [
  {
    sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    attempted_at: ago(7300),
    answered_at: ago(7290),
    from: '15083084809',
    to: '+442079460958',
    duration: 3723,
    account_sid: 'a2b9d1c0-11f2-4d19-9f3e-3cf1c1a0b7aa',
    account: 'Nordlicht GmbH',
  },
  {
    sid: '5f190a4f-b997-4592-81bd-6c6e5b7c7c01',
    attempted_at: ago(7200),
    answered_at: 0,
    from: 'sip:front.desk@a-rather-long-domain.sip.example.com',
    to: '5083084809',
    duration: 0,
    account_sid: '5f190a4f-b997-4592-81bd-6c6e5b7c7c02',
    account: 'شركة الاتصالات (1)',
  },
  {
    sid: '0e1f4b9c-4c1f-4a1e-8f0a-77a6a4f7e0d2',
    attempted_at: ago(93_600),
    answered_at: null,
    from: '',
    to: '442079460000',
    duration: null,
    account_sid: '0e1f4b9c-4c1f-4a1e-8f0a-77a6a4f7e0d3',
    account: null,
  },
]

const columns: readonly TableColumn<Call>[] = [
  { id: 'time', header: 'Time', card: 'time', cell: ({ attempted_at }) => <DateTime iso={attempted_at} /> },
  { id: 'answered', header: 'Answered', cell: ({ answered_at }) => <RelativeTime iso={answered_at} /> },
  { id: 'from', header: 'From', card: 'detail', cell: ({ from }) => <PhoneNumber value={from} /> },
  { id: 'to', header: 'To', card: 'name', cell: ({ to }) => <PhoneNumber value={to} /> },
  {
    id: 'account',
    header: 'Account',
    cell: ({ account, account_sid }) => (
      <Reference
        name={account}
        sid={account_sid}
        link={({ children, ...described }) => (
          <a href="#account" {...described}>
            {children}
          </a>
        )}
      />
    ),
  },
  { id: 'sid', header: 'SID', cell: ({ sid }) => <Sid value={sid} of="the call" /> },
  {
    id: 'duration',
    header: 'Duration',
    align: 'end',
    card: 'end',
    cell: ({ duration }) => <Duration seconds={duration} />,
  },
]

const request = { method: 'GET', url: `${location.origin}/api/v1/RecentCalls?page=1` }

const exported = {
  curl: () => toCurl(request),
  javaScript: () => toJavaScript([request]),
  json: () => formatJson(calls),
  csv: () =>
    toCsv(
      [
        { header: 'attempted_at', value: (call: Call) => call.attempted_at },
        { header: 'from', value: (call: Call) => call.from },
        { header: 'to', value: (call: Call) => call.to },
      ],
      calls,
    ),
  onFailed: () => toaster.failure('The calls could not be read'),
}

const rowActions = ({ sid }: Call) => <CopyMenu label={`Copy or download call ${sid}`} {...exported} />

/** Values alone, in a row, and in a read-only form. */
export const Values = () => {
  const [choosing, setChoosing] = useState(false)
  return (
    <Part title="Values">
      <div className={styles.line}>
        <Button onClick={() => setChoosing(true)}>Preferences</Button>
        <CopyMenu label="Copy or download calls" fileName="calls.csv" {...exported} />
        <Button onClick={() => toaster.failure('The server cannot be reached.', { requestId: 'req-4f2a9c1e' })}>
          Failure with a request
        </Button>
      </div>
      <div className={styles.line}>
        <DateTime iso={ago(3600)} /> <RelativeTime iso={ago(3600)} /> <DateTime iso={0} />
        <PhoneNumber value="15083084809" /> <Duration seconds={59} /> <Name>Zoë 電話</Name>
        <Reference name="Without a link" sid="a2b9d1c0-11f2-4d19-9f3e-3cf1c1a0b7aa" />
        <Reference name={null} sid={null} />
      </div>
      <DataTable
        caption="Calls"
        columns={columns}
        rows={calls}
        rowKey={({ sid }) => sid}
        state="ready"
        actions={rowActions}
      />
      <fieldset data-read-only className={styles.part} aria-label="A form that cannot be changed">
        <ReadOnlyFields value>
          <CopyField label="SID of the record" value="9351f46a-678c-43f5-b8a6-d4eb58d131af" />
          <SecretField
            label="Signing secret"
            value="wh_secret_q8fJ2kdP0sLmZ3x"
            actions={<Button disabledReason="Your access is view-only.">Make a new one</Button>}
          />
          <TextField label="Name of the account" defaultValue="Nordlicht GmbH" />
          <TextArea label="Remarks" defaultValue="Read, and not written." />
        </ReadOnlyFields>
      </fieldset>
      <TextField label="Read only" readOnly defaultValue="Not typed into" />
      <Banner tone="bad" title="The calls could not be read" requestId="req-4f2a9c1e">
        Something went wrong, please try again.
      </Banner>
      {choosing ? (
        <Dialog title="Preferences" onClose={() => setChoosing(false)}>
          <PreferencesForm />
        </Dialog>
      ) : null}
    </Part>
  )
}
