import { parseSpans } from '@patchbay/rules/traces/traces'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import { traceQuery } from '../call-detail-queries.ts'
import { missingTraceHint } from './missing-trace.ts'
import { Timeline } from './timeline.tsx'

/** Default message of a 404 response. */
const notFound = 'Not Found'

interface TracingProps {
  account_sid: string
  trace_id: string
  /** The span to open. */
  span_id: string | undefined
}

/** Shows the trace of a call, or why there is none. */
export const Tracing = ({ account_sid, trace_id, span_id }: TracingProps) => {
  const trace = useQuery(traceQuery(account_sid, trace_id))
  const spans = useMemo(() => parseSpans(trace.data), [trace.data])
  const retryButton = (
    <Button
      size="small"
      icon={<RefreshCw size={14} aria-hidden="true" />}
      busy={trace.isFetching}
      onClick={() => void trace.refetch()}
    >
      Check again
    </Button>
  )
  if (trace.data === undefined && isNotFound(trace.error))
    return (
      <EmptyState
        title="There is no trace of this call."
        hint={trace.error.message === notFound ? missingTraceHint : trace.error.message}
        action={retryButton}
      />
    )
  if (trace.data === undefined) return <FormLoading queries={[trace]} />
  if (spans.length === 0)
    return <EmptyState title="The trace of this call is empty." hint={missingTraceHint} action={retryButton} />
  const notice = trace.data.is_cut && (
    <Banner tone="warn" title="This trace is not complete.">
      The call has more spans than Patchbay shows. You see the first {spans.length.toLocaleString('en-US')}.
    </Banner>
  )
  return <Timeline key={span_id} spans={spans} notice={notice} linked={spans.find(({ id }) => id === span_id)} />
}
