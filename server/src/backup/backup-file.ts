/** A backup as a file or an object, which exists or is to be written. */
export interface BackupFile {
  /** The path or URL, for messages. */
  name: string
  exists(): Promise<boolean>
  /** Reads all bytes. */
  read(): AsyncIterable<Buffer>
  /**
   * Writes the content, and returns its size in bytes. The file or object gets its name when it is complete and durable.
   * @throws BackupError if it cannot be written
   */
  write(content: AsyncIterable<Buffer>): Promise<number>
  /** Deletes the file or object, and what an interrupted `write` has left. Does nothing if there is neither. */
  remove(): Promise<void>
}
