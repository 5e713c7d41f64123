import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { ErrorBanner } from '../../feedback/error-banner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { countText } from '../../ui/format/text.ts'
import { LoadingNote } from '../../ui/loading-note.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { toCurlScript } from '../../ui/request-code/curl.ts'
import { toJavaScript } from '../../ui/request-code/javascript.ts'
import { tokenVariable } from '../../ui/request-code/request-code.ts'
import { Tabs } from '../../ui/tabs.tsx'
import styles from './copy-request-dialog.module.css'
import { recordRequests } from './record-requests.ts'
import { toCodeRequests } from './to-code-requests.ts'

const formats = [
  { id: 'curl', label: 'curl', toCode: toCurlScript },
  { id: 'javascript', label: 'JavaScript', toCode: toJavaScript },
] as const

type Format = (typeof formats)[number]

const findTypedSecrets = (): ReadonlySet<string> =>
  new Set([...document.querySelectorAll<HTMLInputElement>('input[data-secret]')].map(({ value }) => value))

const formatRequestCount = (count: number): string => countText(count, count, ['request', 'requests'])

interface CodeProps {
  format: Format
  code: string
  count: number
}

/** The code of a format, and the button that copies it. */
const Code = ({ format: { label }, code, count }: CodeProps) => {
  const text = useRef<HTMLPreElement>(null)
  const [outcome, setOutcome] = useState<'copied' | 'denied'>()
  const copy = async () => {
    if (await copyText(code)) return setOutcome('copied')
    setOutcome('denied')
    text.current?.focus()
    if (text.current) window.getSelection()?.selectAllChildren(text.current)
  }
  return (
    <div className={styles['content']}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <pre ref={text} tabIndex={0} aria-label={`Requests as ${label}`} className={styles['code']}>
        {code}
      </pre>
      {outcome === 'denied' && (
        <Banner tone="warn" role="alert">
          The browser denied access to the clipboard. The text is selected: copy it with the keyboard or the menu of the
          browser.
        </Banner>
      )}
      <div className={styles['actions']}>
        <output>{outcome === 'copied' ? `Copied ${formatRequestCount(count)} as ${label}` : ''}</output>
        <Button variant="primary" icon={<Copy aria-hidden="true" />} onClick={() => void copy()}>
          Copy
        </Button>
      </div>
    </div>
  )
}

let recordingCount = 0

interface CopyRequestDialogProps {
  /** Sends the requests of a save, which are recorded instead. */
  sendRequests: () => Promise<unknown>
  onClose: () => void
}

/**
 * Shows the requests of a save as code. While they are recorded, the dialog cannot be closed, so that the user starts no
 * other request.
 */
export const CopyRequestDialog = ({ sendRequests, onClose }: CopyRequestDialogProps) => {
  const [recordingId] = useState(() => (recordingCount += 1))
  const [typedSecrets] = useState(findTypedSecrets)
  const [format, setFormat] = useState<Format>(formats[0])
  const { data, error, isPending } = useQuery({
    queryKey: ['recorded-requests', recordingId],
    queryFn: async ({ signal }) => toCodeRequests(await recordRequests(sendRequests, signal), typedSecrets),
    // The answers of reads can be outdated, but the form does not change while the dialog is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const content = () => {
    if (error) return <ErrorBanner error={error} />
    if (data === undefined) return <LoadingNote />
    const { requests, variables } = data
    const count = requests.length
    if (count === 0) return <p>Nothing has changed, so saving would send no request.</p>
    const names = [tokenVariable, ...variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)]
    return (
      <>
        <p>
          The form would send {formatRequestCount(count)}. Before you run the code, set the environment{' '}
          {names.length === 1 ? 'variable' : 'variables'} <code>{names.join(', ')}</code>: an API key or token
          {names.length > 1 && ', and the secrets of the form'}.
        </p>
        <Tabs
          label="Format"
          tabs={formats}
          selected={format.id}
          onSelect={(id) => setFormat(formats.find((one) => one.id === id) ?? formats[0])}
        >
          <Code key={format.id} format={format} code={format.toCode(requests, variables)} count={count} />
        </Tabs>
      </>
    )
  }
  return (
    <Dialog title="Copy request" size="large" blocking={isPending} onClose={onClose}>
      <div tabIndex={-1} data-autofocus className={styles['content']}>
        {content()}
      </div>
    </Dialog>
  )
}
