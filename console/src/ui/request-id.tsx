import { CopyButton } from './copy-button.tsx'
import styles from './request-id.module.css'

/** The id of a request in the server's log, with a button that copies it. */
export const RequestId = ({ id }: { id: string }) => (
  <span className={styles.request}>
    Request ID <code>{id}</code>
    <CopyButton value={id} label="Copy request ID" />
  </span>
)
