import { api } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import type { KeyDialogProps } from './key-columns.tsx'
import { KeyLabel } from './key-label.tsx'

/** Deletes an API key after a confirmation. */
export const DeleteKey = ({ apiKey, onClose }: KeyDialogProps) => {
  const { api_key_sid, last_used } = apiKey
  const remove = useAction({
    run: () => api('DELETE /ApiKeys/:api_key_sid', { params: { api_key_sid } }),
    done: () => 'API key deleted',
    changes: [apiKeysKey],
    after: onClose,
  })
  return (
    <ConfirmAction action={remove} title="Delete API key?" confirmLabel="Delete key" danger onCancel={onClose}>
      <p>
        Programs that use <KeyLabel apiKey={apiKey} /> lose access immediately. This cannot be undone.
      </p>
      <p>
        {last_used === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <RelativeTime iso={last_used} />.
          </>
        )}
      </p>
    </ConfirmAction>
  )
}
