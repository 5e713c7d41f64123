import { queryOptions, useQuery } from '@tanstack/react-query'
import { isNotFound } from '../../../api/api-error.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { Player } from '../recording/player.tsx'
import type { PlayerLink } from '../recording/player-link.ts'
import { fetchRecorded, untilAnalyzed } from '../recording/recording-query.ts'

const sharedRecordingQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-recording', token],
    queryFn: ({ signal }) =>
      fetchRecorded('/patchbay/shared-call/recording', { signal, headers: { authorization: `Bearer ${token}` } }),
    ...untilAnalyzed,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    structuralSharing: false,
  })

interface SharedRecordingProps {
  token: string
  /** The direction of the call. */
  direction: string | null
  link: PlayerLink
}

/** Plays the recording of a shared call. */
export const SharedRecording = ({ token, direction, link }: SharedRecordingProps) => {
  const recorded = useQuery(sharedRecordingQuery(token))
  const { data, error } = recorded
  if (isNotFound(error)) return <p className="note">The recording of this call was deleted.</p>
  if (data === undefined) return <FormLoading queries={[recorded]} sections={1} />
  const { file, sound } = data
  if (sound === undefined) return <p className="note">Your browser cannot play this recording.</p>
  return <Player recorded={{ file, sound }} spans={null} direction={direction} actions={null} link={link} />
}
