import { durationMs, summarizeWaits, type WaitKind } from '@patchbay/rules/traces/trace-waits'
import type { Span } from '@patchbay/rules/traces/traces'
import { CircleAlert, Hourglass } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../../ui/button.tsx'
import { durationText, shortName, toExtent } from './spans.ts'
import styles from './timeline.module.css'

const waitLabels: Readonly<Record<WaitKind, string>> = {
  webhook: 'for webhooks',
  synthesis: 'for speech synthesis',
  recognition: 'for speech recognition',
}

interface TraceSummaryProps {
  spans: readonly Span[]
  onShow: (span: Span) => void
}

/** Summarizes the failed spans and the waits of the caller. */
export const TraceSummary = ({ spans, onShow }: TraceSummaryProps) => {
  const failed = spans.filter(({ error }) => error !== undefined)
  const [firstFailed] = failed
  const { all, byKind, longest } = useMemo(() => summarizeWaits(spans), [spans])
  return (
    <div className={styles['summary']}>
      <p>
        {spans.length === 1 ? '1 span' : `${spans.length.toLocaleString('en-US')} spans`} in{' '}
        {durationText(durationMs(toExtent(spans)))}
      </p>
      {firstFailed && (
        <p className={styles['failure']}>
          <CircleAlert size={14} aria-hidden="true" />
          {failed.length === 1 ? '1 failed: ' : `${failed.length} failed, first `}
          <Button variant="ghost" size="small" onClick={() => onShow(firstFailed)}>
            {shortName(firstFailed.name)}
          </Button>
        </p>
      )}
      {longest && (
        <p>
          <span>
            <Hourglass size={13} aria-hidden="true" /> The caller waited {durationText(all)} in all:{' '}
            {byKind.map(({ kind, milliseconds }) => `${durationText(milliseconds)} ${waitLabels[kind]}`).join(', ')}.
            Longest:
          </span>
          <Button variant="ghost" size="small" onClick={() => onShow(longest.span)}>
            {shortName(longest.span.name)}, {durationText(longest.milliseconds)}
          </Button>
        </p>
      )}
    </div>
  )
}
