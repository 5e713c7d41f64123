import { useQuery } from '@tanstack/react-query'
import { Copy, Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { toaster } from '../../../feedback/toaster.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { canCopy, copyText } from '../../../ui/copy-button.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { FilterSelect } from '../../../ui/table/filter-select.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import { TextFilter, Toolbar } from '../../../ui/table/text-filter.tsx'
import { useGrowingWindow } from '../../../ui/table/use-incremental-rows.ts'
import { allText, filterLines, type Level, type Line, levels, parseLogLine } from './log-lines.ts'
import styles from './logs.module.css'
import { callLogsQuery } from './query.ts'

interface LogsProps {
  account_sid: string
  call_sid: string
}

const levelOptions = [
  { value: 'all', label: 'all' },
  ...levels.slice(1).map((level) => ({ value: level, label: level === 'fatal' ? level : `${level} and above` })),
] as const

const missing =
  'The lines have not arrived yet, or are older than the retention period. If no call has log lines, send those of the ' +
  'feature servers to POST /logs at Patchbay (INTAKE_OTLP). Each line needs the member callSid.'

const copy = async (text: string) => {
  if (await copyText(text)) toaster.success('Logs copied to clipboard')
  else toaster.failure('Failed to copy logs')
}

const LogLine = ({ line: { level, time, message, text } }: { line: Line }) => (
  <li className={classes(styles['line'], level && styles[level])}>
    <details>
      <summary>
        {time && <span className={styles['time']}>{time}</span>}
        {level && <span className={styles['level']}>{level}</span>}
        <span className={styles['message']}>{message || text}</span>
      </summary>
      <pre>{text}</pre>
    </details>
  </li>
)

const LogList = ({ lines, call_sid }: { lines: readonly Line[]; call_sid: string }) => {
  const [minLevel, setMinLevel] = useState<Level | 'all'>('all')
  const [filter, setFilter] = useState('')
  const filteredLines = useMemo(() => filterLines(lines, minLevel, filter), [lines, minLevel, filter])
  const { limit, end, more } = useGrowingWindow(filteredLines.length)
  return (
    <div className={styles['logs']}>
      <Toolbar>
        <FilterSelect label="Level" value={minLevel} options={levelOptions} onChange={setMinLevel} />
        <TextFilter label="Filter log lines" value={filter} onChange={setFilter} />
        {canCopy() && (
          <Button
            size="small"
            icon={<Copy size={14} aria-hidden="true" />}
            onClick={() => void copy(allText(filteredLines))}
          >
            Copy
          </Button>
        )}
        <Button
          size="small"
          icon={<Download size={14} aria-hidden="true" />}
          onClick={() =>
            saveFile(`${call_sid}.log`, new Blob([allText(filteredLines)], { type: 'text/plain;charset=utf-8' }))
          }
        >
          Download
        </Button>
        <output className="note">
          {filteredLines.length === lines.length
            ? `${lines.length} lines`
            : `${filteredLines.length} of ${lines.length} lines`}
        </output>
      </Toolbar>
      {filteredLines.length === 0 ? (
        <p className="note">No log lines match.</p>
      ) : (
        <ol aria-label="Log lines" className={styles['list']}>
          {filteredLines.slice(0, limit).map((line, position) => (
            // Log lines have no ID, and their order never changes.
            <LogLine key={`${position} ${line.text}`} line={line} />
          ))}
          {more && <li key={limit} ref={end} className={styles['more']} />}
        </ol>
      )}
    </div>
  )
}

/** Shows the logs of a call. */
export const Logs = ({ account_sid, call_sid }: LogsProps) => {
  const logs = useQuery(callLogsQuery(account_sid, call_sid))
  const lines = useMemo(() => logs.data?.map(parseLogLine), [logs.data])
  const retryButton = (
    <Button size="small" busy={logs.isFetching} onClick={() => void logs.refetch()}>
      Check again
    </Button>
  )
  if (lines === undefined && isNotFound(logs.error))
    return <EmptyState title="There is no log for this call" hint={missing} action={retryButton} />
  if (lines === undefined) return <FormLoading queries={[logs]} sections={1} />
  if (lines.length === 0) return <EmptyState title="No logs found" hint={missing} action={retryButton} />
  return <LogList lines={lines} call_sid={call_sid} />
}
