import { CopyButton } from './copy-button.tsx'
import styles from './request-id.module.css'

/** The id under which the server's log has a request, to copy. */
export const RequestId = ({ id }: { id: string }) => (
  <span className={styles.request}>
    Request ID <code>{id}</code>
    <CopyButton value={id} label="Copy request ID" />
  </span>
)
