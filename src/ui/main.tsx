import { render } from 'preact';
import { App } from './app.tsx';
import { listenForKeys } from './keys.ts';
import { keepConnected } from './state/connection.ts';
import { followLocation, go } from './state/store.ts';

followLocation();
keepConnected();
listenForKeys((page) => go({ page }));

const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
