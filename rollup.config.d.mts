declare const _default: ({
    input: {
        index: string;
    };
    external: (id: any) => any;
    output: {
        dir: string;
        format: string;
        chunkFileNames: string;
        file?: undefined;
    };
    plugins: import("rollup").Plugin<any>[];
} | {
    input: {
        index: string;
    };
    external: (id: any) => any;
    output: {
        dir: string;
        format: string;
        chunkFileNames?: undefined;
        file?: undefined;
    };
    plugins: import("rollup").Plugin<any>[];
} | {
    input: string;
    output: {
        file: string;
        format: string;
        dir?: undefined;
        chunkFileNames?: undefined;
    };
    plugins: (import("rollup").Plugin<any> | {
        name: string;
        transform(code: any, id: any): any;
    } | {
        name: string;
        renderChunk: (code: any, chunk: any, output: any) => any;
    })[];
    external?: undefined;
})[];
export default _default;
