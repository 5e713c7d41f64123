import { durationMs } from '@patchbay/rules/traces/trace-waits'
import type { Span, TraceAttribute } from '@patchbay/rules/traces/traces'
import { Banner } from '../../../ui/banner.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { formatJson } from '../../../ui/format/json.ts'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { durationText, isVisibleAttribute } from './spans.ts'
import styles from './timeline.module.css'

const two = (number: number): string => String(number).padStart(2, '0')

/** Formats nanoseconds since the Unix epoch as DD/MM/YY HH:mm:ss.SSS in local time. */
export const instantText = (nanoseconds: bigint): string => {
  const date = new Date(Number(nanoseconds / 1_000_000n))
  const day = [date.getDate(), date.getMonth() + 1, date.getFullYear() % 100].map(two).join('/')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const jsonIn = (text: string): string | undefined => {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return formatJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

const Json = ({ text }: { text: string }) => <pre className={styles['json']}>{text}</pre>

const toEntry = ({ key, value }: TraceAttribute): DefinitionEntry => {
  const text = String(value)
  const json = jsonIn(text)
  return [key, json === undefined ? text : <Json key={key} text={json} />, { copy: text }]
}

/** Attributes of a synthesis span that repeat attributes of its parent. */
const parentAttributes = new Set(['tts.vendor', 'tts.language', 'tts.voice', 'tts.cached', 'engine', 'voice'])

interface SpanDialogProps {
  span: Span
  /** All spans of the call. */
  spans: readonly Span[]
  onClose: () => void
}

/** Shows times, duration, and attributes of a span. */
export const SpanDialog = ({ span, spans, onClose }: SpanDialogProps) => {
  const visibleAttributes = span.attributes.filter(({ key }) => isVisibleAttribute(key))
  const ofSynthesis = spans
    .filter(({ parent, name }) => parent === span.id && name === 'tts-generation')
    .flatMap(({ attributes }) => attributes.filter(({ key }) => isVisibleAttribute(key) && !parentAttributes.has(key)))
  return (
    <Dialog title={span.name} size="large" closeOnBackdrop onClose={onClose}>
      {/* The content has the initial focus, because the tooltip of the first button would cover it. */}
      <div tabIndex={-1} data-autofocus className={styles['read']}>
        {span.error !== undefined && (
          <Banner tone="bad" title="This failed.">
            {span.error}
          </Banner>
        )}
        <DefinitionList
          entries={[
            ['Span ID', span.id, { mono: true, copy: span.id }],
            ['Span Start', instantText(span.start), { mono: true }],
            ['Span End', instantText(span.end), { mono: true }],
            ...(span.name.startsWith('dtmf:') ? [] : [['Duration', durationText(durationMs(span))] as const]),
            ...(span.service ? [['Service', span.service] as const] : []),
          ]}
        />
        {visibleAttributes.length > 0 && (
          <section aria-label="Attributes" className={styles['attributes']}>
            <DefinitionList entries={visibleAttributes.map(toEntry)} />
          </section>
        )}
        {ofSynthesis.length > 0 && (
          <section aria-label="Speech synthesis" className={styles['attributes']}>
            <h3>Speech synthesis</h3>
            <DefinitionList entries={ofSynthesis.map(toEntry)} />
          </section>
        )}
      </div>
    </Dialog>
  )
}
