import type { Command } from 'commander'

/** `patchbay start`: starts the server. `main.ts` starts it without this module if there are no options. */
export const configure = (command: Command): void => {
  command
    .description('Start the server with the settings of the environment. SIGTERM and SIGINT stop it.')
    .action(async () => (await import('../app/start-server.ts')).startServer())
}
