import { FatalError } from '../lib/cli.ts'

/** Settings with which the server does not start. */
export class InvalidConfigurationError extends FatalError {}
