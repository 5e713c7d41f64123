import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { callByIdQuery } from '../../../api/call-by-id.ts'
import { oneCall } from '../../../routes/recent-calls.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { Button } from '../../../ui/button.tsx'

/** The platform writes the record of a call when it has ended. It is looked up this often, for this time. */
const intervalMs = 2000
const maxWaitMs = 30_000

interface CallRecordProps {
  account_sid: string
  callId: string
  /** Whether the page of the call opens when its record arrives. */
  opens: boolean
}

/** Looks for the record of a call that has just ended, and opens its page. */
export const CallRecord = ({ account_sid, callId, opens }: CallRecordProps) => {
  const navigate = useNavigate()
  const [isWaiting, setWaiting] = useState(true)
  const { data, isFetching, refetch } = useQuery({
    ...callByIdQuery({ account_sid }, callId),
    // An earlier answer says nothing about a call that has just ended.
    gcTime: 0,
    refetchInterval: ({ state }) => isWaiting && !state.data && intervalMs,
  })
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), maxWaitMs)
    return () => clearTimeout(timer)
  }, [])
  const call_sid = data?.call_sid
  useEffect(() => {
    if (opens && call_sid) void navigate({ to: oneCall.path, params: { account_sid, call_sid } })
  }, [opens, call_sid, account_sid, navigate])
  if (call_sid)
    return (
      <p>
        <ScreenLink to={oneCall} params={{ account_sid, call_sid }}>
          Open the call
        </ScreenLink>
      </p>
    )
  if (isWaiting || isFetching) return <output>Waiting for the record of the call</output>
  return (
    <p>
      There is no record of this call yet.{' '}
      <Button size="small" onClick={() => void refetch()}>
        Look again
      </Button>
    </p>
  )
}
